"""Who is how good: AUROC of every system, and how far it lies from the two it is held against."""

from pacl.report.table import Cell, Head, Table, best_of
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import MEASURES, REFERENCES, where
from pacl.studies.rivals.scores import Mean, scores_of
from pacl.studies.rivals.verdicts import Difference, differences_of

DIGITS = 4


def number(found: Mean, digits: int = DIGITS, *, best: bool = False) -> Cell:
    """A mean over seeds with its standard deviation."""
    return Cell(mean=found.mean, sd=found.sd, digits=digits, best=best)


def less_cell(found: Difference | None) -> Cell:
    """A difference with its limits, or nothing."""
    return Cell(found.text) if found else Cell()


def main_table(report: RivalsComparison, dataset: str) -> Table:
    """Every system on strangers of the same cohort, the highest AUROC first."""
    scores = scores_of(report, "main", dataset)
    less = {
        name: {one.method: one for one in found}
        for name in REFERENCES
        if (found := differences_of(report, dataset, name))
    }
    columns = [
        [score.auroc for score in scores],
        [score.patient_auroc for score in scores],
        [score.of("sensitivity") for score in scores],
        [score.of("specificity") for score in scores],
        [score.of("auroc_across_models") for score in scores],
    ]
    digits = (DIGITS, DIGITS, 3, 3, DIGITS)
    best = [
        best_of([each.mean for each in column], 1, places)
        for column, places in zip(columns[:2], digits, strict=False)
    ]
    rows = []
    for at, score in enumerate(scores):
        method = report.methods[score.method]
        rows.append(
            (
                Cell(method.title),
                Cell(method.kind),
                number(columns[0][at], best=at in best[0]),
                Cell(score.interval),
                number(columns[1][at], best=at in best[1]),
                *(number(columns[c][at], digits[c]) for c in (4, 2, 3)),
                *(less_cell(found.get(score.method)) for found in less.values()),
            )
        )
    heads = (
        *("", "kind", "AUROC ↑", "95 % interval", "within patients ↑", "across folds"),
        *("sensitivity", "specificity"),
        *(f"AUROC less {report.title(name)}" for name in less),
    )
    return Table(
        f"Systems on {dataset}",
        "Mean over seeds ± their standard deviation, on patients that were not learned from. AUROC "
        "is over pairs of windows that one fold's model judged, its interval where it may lie in "
        "other patients; within patients is the mean of each one's own AUROC. Across folds also "
        "counts pairs of windows that different models judged, whose scores have no common scale. "
        "A window is called AF from even odds on, without calibration. Limits of differences are "
        "for other patients and seeds; p is that of swapping two systems within patients, not "
        "corrected for the number of rows.",
        tuple(map(Head, heads)),
        tuple(rows),
    )


def differences_table(report: RivalsComparison, dataset: str) -> Table:
    """Every system less each reference, by all windows and within patients."""
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    known = [row.reference for row in where(report.differences, study="main", dataset=dataset)]
    for reference in dict.fromkeys((*(name for name in REFERENCES if name in known), *known)):
        for measure in MEASURES:
            rules.append(len(rows))
            for one in differences_of(report, dataset, reference, measure):
                rows.append(
                    (
                        Cell(report.title(one.method)),
                        Cell(report.title(reference)),
                        Cell(measure),
                        *(
                            Cell(mean=value, digits=DIGITS, signed=True)
                            for value in (one.estimate, one.low, one.high)
                        ),
                        *(Cell(mean=value, digits=DIGITS) for value in (one.p, one.corrected)),
                        Cell(one.verdict),
                    )
                )
    return Table(
        f"Differences of AUROC on {dataset}",
        "On the same patients and seeds; low and high are limits at 95 % for other patients and "
        "seeds. "
        "Corrected p is Holm's for all systems of a block; the first is above or below where it is "
        "under 0.05 and the limits leave 0 out, else it is open.",
        tuple(
            map(
                Head,
                ("", "less", "by", "difference", "low", "high", "p", "corrected p", "the first is"),
            )
        ),
        tuple(rows),
        rules=tuple(rules[1:]),
    )

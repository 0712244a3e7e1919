"""AUROC of each system, its differences from the two references, and AUROC by seed."""

from pacl.report.table import Cell, Head, Table, best_of
from pacl.studies.rivals import (
    MEASURES,
    REFERENCES,
    Difference,
    Mean,
    RivalsComparison,
    differences_of,
    scores_of,
    where,
)

DIGITS = 4


def number(found: Mean, digits: int = DIGITS, *, best: bool = False) -> Cell:
    """A mean over seeds with its standard deviation."""
    return Cell(mean=found.mean, sd=found.sd, digits=digits, best=best)


def less_cell(found: Difference | None) -> Cell:
    """A difference with its interval, or an empty cell."""
    return Cell(found.text) if found else Cell()


def main_table(report: RivalsComparison, dataset: str) -> Table:
    """All systems on unseen patients of the same cohort, the highest AUROC first."""
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
        "Mean ± standard deviation over seeds, on unseen patients. AUROC is over pairs of windows "
        "with a score from the same fold, with its 95 % interval over patients. Within patients: "
        "the mean of the AUROC of each patient. Across folds: also pairs with scores from "
        "different folds, which have no common scale. A window is AF from a probability of one "
        "half on, without calibration. Intervals of differences are over patients and seeds; p is "
        "from swapping two systems within patients, not corrected for the number of rows.",
        tuple(map(Head, heads)),
        tuple(rows),
    )


def differences_table(report: RivalsComparison, dataset: str) -> Table:
    """Each system minus each reference, by all windows and within patients."""
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
    heads = ("", "less", "by", "difference", "low", "high", "p", "corrected p", "the first is")
    return Table(
        f"Differences of AUROC on {dataset}",
        "On the same patients and seeds; low and high are the ends of the 95 % interval over "
        "patients and seeds. Corrected p is Holm's for all systems of a block. The first is above "
        "or below if corrected p is under 0.05 and the interval excludes 0; otherwise it is open "
        "(inconclusive).",
        tuple(map(Head, heads)),
        tuple(rows),
        rules=tuple(rules[1:]),
    )


def seed_table(report: RivalsComparison, dataset: str) -> Table:
    """One row per system, the highest AUROC on unseen patients first; one column per seed."""
    places = {dataset: where(report.pooled, study="main", dataset=dataset)}
    for condition in dict.fromkeys(
        condition
        for other in report.datasets("elsewhere")
        for condition in report.conditions("elsewhere", other)
    ):
        places[condition] = where(report.pooled, study="elsewhere", condition=condition)
    columns = [
        (place, seed)
        for place, rows in places.items()
        for seed in sorted({row.seed for row in rows})
    ]
    auroc = {
        (place, row.seed, row.method): row.auroc for place, rows in places.items() for row in rows
    }
    return Table(
        f"AUROC by seed on {dataset}",
        "On unseen patients of the same cohort, over pairs of windows with a score from the same "
        "fold; then trained on one complete cohort and evaluated on another.",
        (Head(""), *(Head(f"seed {seed}", place) for place, seed in columns)),
        tuple(
            (
                Cell(report.title(score.method)),
                *(
                    Cell(mean=auroc.get((place, seed, score.method)), digits=DIGITS)
                    for place, seed in columns
                ),
            )
            for score in scores_of(report, "main", dataset)
        ),
    )

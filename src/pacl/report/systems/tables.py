"""Tables of a comparison of systems: scores, differences, confusion, geometry, cost, subjects."""

import math

import numpy as np

from pacl.evaluation import worst_subjects
from pacl.report.table import Cell, Head, Table
from pacl.studies.systems import (
    GEOMETRY,
    MEASURES,
    SystemDifference,
    SystemScore,
    SystemsStudy,
    differences_of,
    scores_of,
)

DIGITS = 3
WORDS = {"above": "higher", "below": "lower", "open": "inconclusive"}
GEOMETRY_HEADS = {
    "cohesion": "cohesion ↑",
    "centroid_distance": "centroid distance ↑",
    "centroid_similarity": "centroid similarity ↓",
    "compactness": "compactness ↑",
}


def score_cell(score: SystemScore | None, digits: int = DIGITS) -> Cell:
    """`0.571 [0.480, 0.657]`, or a dash."""
    if score is None:
        return Cell()
    limits = f" [{score.low:.{digits}f}, {score.high:.{digits}f}]" * (not math.isnan(score.low))
    return Cell(f"{score.mean:.{digits}f}{limits}")


def difference_text(one: SystemDifference, digits: int = DIGITS) -> str:
    """`+0.012 [-0.003, +0.031]`."""
    interval = f" [{one.low:+.{digits}f}, {one.high:+.{digits}f}]" * (not math.isnan(one.low))
    return f"{one.estimate:+.{digits}f}{interval}"


def main_table(study: SystemsStudy) -> Table:
    """The scores of all systems, with intervals over subjects."""
    found = {
        measure: {score.system: score for score in scores_of(study, measure)}
        for measure in MEASURES
    }
    main = next(iter(MEASURES))
    rows = []
    for system in study.systems:
        seeds = found[main][system.name].seed_sd
        rows.append(
            (
                Cell(system.title),
                Cell(system.reads),
                *(score_cell(of.get(system.name)) for of in found.values()),
                Cell() if math.isnan(seeds) else Cell(mean=seeds, digits=DIGITS),
            )
        )
    heads = ("", "reads", *(f"{name} ↑" for name in MEASURES.values()), "SD over seeds")
    return Table(
        "Systems on subjects never seen",
        "Mean over subjects of each subject's own score, with its 95 % interval over subjects. "
        "Every subject is tested once for each seed, by models that never saw the subject. "
        "Balanced accuracy is the mean recall of the classes; AUROC is of each class against the "
        "others, within the subject. The last column is the standard deviation over seeds of the "
        "balanced accuracy.",
        tuple(map(Head, heads)),
        tuple(rows),
    )


def differences_table(study: SystemsStudy) -> Table:
    """Every system less each reference, by each measure."""
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    for reference in study.references:
        for measure, name in MEASURES.items():
            rules.append(len(rows))
            rows += [
                (
                    Cell(study.system(one.system).title),
                    Cell(study.system(reference).title),
                    Cell(name),
                    Cell(difference_text(one)),
                    Cell(mean=one.p, digits=4),
                    Cell(mean=one.corrected, digits=4),
                    Cell(f"{100 * one.better:.0f} %"),
                    Cell(WORDS[one.verdict]),
                )
                for one in differences_of(study, reference, measure)
            ]
    heads = ("", "less", "by", "difference", "p", "corrected p", "subjects better", "the first is")
    return Table(
        "Paired differences",
        "On the same subjects and seeds, with the 95 % interval over subjects (and seeds, where "
        "there are several). p is of swapping the two systems within subjects; corrected p is "
        "Holm's for all systems of a block. A difference is conclusive if corrected p is below "
        "0.05 and the interval excludes 0.",
        tuple(map(Head, heads)),
        tuple(rows),
        rules=tuple(rules[1:]),
    )


def confusion_table(study: SystemsStudy, system: str) -> Table:
    """What windows of each class were taken for, in per cent of the class."""
    counts = np.array(study.system(system).confusion, dtype=np.float64)
    shares = 100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    names = study.summary.class_names
    return Table(
        f"Confusion: {study.system(system).title}",
        "Per cent of the windows of each class (row) that were taken for each class (column), "
        "over all subjects and seeds.",
        (Head(""), *(Head(name, "taken for") for name in names)),
        tuple(
            (
                Cell(name),
                *(Cell(mean=value, digits=0, best=at == to) for to, value in enumerate(row)),
            )
            for at, (name, row) in enumerate(zip(names, shares, strict=True))
        ),
        sortable=False,
    )


def geometry_table(study: SystemsStudy) -> Table | None:
    """How the classes of each subject lie on the sphere; None if no system has embeddings."""
    found = {
        measure: {score.system: score for score in scores_of(study, measure)}
        for measure in GEOMETRY
    }
    shown = [one for one in study.systems if any(one.name in of for of in found.values())]
    if not shown:
        return None
    return Table(
        "Geometry of embeddings",
        "Within each subject never seen, then the mean over subjects, with 95 % intervals: how "
        "close windows are to the centroid of their class (Eq. 6, mean over classes), distance "
        "and cosine of two classes' centroids (Eqs. 7 and 8), and distance over spread (Eq. 10), "
        "mean over the pairs of classes. A higher number is not in itself a better detection.",
        (Head(""), *(Head(GEOMETRY_HEADS[name]) for name in GEOMETRY)),
        tuple(
            (Cell(one.title), *(score_cell(found[name].get(one.name)) for name in GEOMETRY))
            for one in shown
        ),
    )


def cost_table(study: SystemsStudy) -> Table:
    """How long systems were trained."""
    return Table(
        "Cost",
        "Seconds of training over all folds, mean over seeds, and epochs, mean over fits. Fits ran "
        "beside each other, so seconds are approximate.",
        tuple(map(Head, ("", "on", "seconds", "epochs", "seeds"))),
        tuple(
            (
                Cell(one.title),
                Cell(one.device),
                Cell(mean=one.seconds, digits=1),
                Cell(mean=one.epochs, digits=1) if one.epochs else Cell(),
                Cell(str(one.seeds)),
            )
            for one in study.systems
        ),
    )


def worst_table(study: SystemsStudy, system: str) -> Table:
    """The subjects on whom a system does worst, and how all others do on them."""
    measure = next(iter(MEASURES))
    values = study.values(system, measure)
    each = {one.name: study.values(one.name, measure).mean(axis=0) for one in study.systems}
    windows = {row.subject: row.windows for row in study.rows}
    counts = np.array([[windows[who]] for who in study.subjects])
    worst = worst_subjects(values, study.subjects, counts)
    at = {who: place for place, who in enumerate(study.subjects)}
    return Table(
        f"Subjects on whom {study.system(system).title} does worst",
        "Balanced accuracy, mean over seeds, the lowest first.",
        tuple(map(Head, ("", "windows", *(one.title for one in study.systems)))),
        tuple(
            (
                Cell(one.subject),
                Cell(f"{one.windows[0]:,}"),
                *(
                    Cell(mean=float(values[at[one.subject]]), digits=DIGITS)
                    for values in each.values()
                ),
            )
            for one in worst
        ),
    )


def subject_table(study: SystemsStudy) -> Table:
    """Balanced accuracy of each subject under each system."""
    measure = next(iter(MEASURES))
    each = {one.name: study.values(one.name, measure).mean(axis=0) for one in study.systems}
    turned = study.summary.turns
    return Table(
        "Balanced accuracy of each subject",
        "Mean over seeds.",
        (
            Head(""),
            *(Head(one.title) for one in study.systems),
            *([Head("channels turned")] if turned else []),
        ),
        tuple(
            (
                Cell(who),
                *(Cell(mean=float(values[at]), digits=DIGITS) for values in each.values()),
                *([Cell(str(turned.get(who, "")))] if turned else []),
            )
            for at, who in enumerate(study.subjects)
        ),
    )

"""Tables of the harder tests: few patients, another cohort, known patients."""

import math

from pacl.report.rivals.main_tables import DIGITS, less_cell, number
from pacl.report.table import Cell, Head, Table, best_of
from pacl.studies.rivals import (
    PATIENTS,
    PROPOSED,
    Mean,
    RivalsComparison,
    differences_of,
    label_curves,
    leaks_of,
    scores_of,
)


def labels_table(report: RivalsComparison, dataset: str) -> Table:
    """AUROC by the number of training patients."""
    curves = label_curves(report, dataset)
    best = [
        best_of([curve.auroc[at].mean for curve in curves.curves], 1, DIGITS)
        for at in range(len(curves.conditions))
    ]
    rows = tuple(
        (
            Cell(report.title(curve.method)),
            Cell(report.methods[curve.method].kind),
            *(number(found, best=row in best[at]) for at, found in enumerate(curve.auroc)),
        )
        for row, curve in enumerate(curves.curves)
    )
    return Table(
        f"AUROC on {dataset} by the number of labelled training patients",
        "Self-supervised systems learn from all training patients without labels, and from the "
        "labels of this number of patients; all others only from this number of patients.",
        (Head(""), Head("kind"), *map(Head, curves.conditions)),
        rows,
    )


def label_differences_table(report: RivalsComparison, dataset: str) -> Table | None:
    """Each system minus the proposed one, by the number of training patients, if known."""
    curves = label_curves(report, dataset)
    less = {
        condition: {one.method: one for one in found}
        for condition in curves.conditions
        if (found := differences_of(report, dataset, PROPOSED, study="labels", condition=condition))
    }
    if not less:
        return None
    rows = tuple(
        (
            Cell(report.title(curve.method)),
            *(less_cell(found.get(curve.method)) for found in less.values()),
        )
        for curve in curves.curves
        if curve.method != PROPOSED
    )
    return Table(
        f"AUROC on {dataset} less that of {report.title(PROPOSED)} with as many labelled patients",
        "On the same patients, seeds and labelled patients; with the 95 % interval over patients "
        "and seeds, and p from swapping two systems within patients, not corrected for the number "
        "of rows.",
        (Head(""), *map(Head, less)),
        rows,
    )


def external_table(report: RivalsComparison, dataset: str, condition: str) -> Table:
    """Trained on one cohort, evaluated on another."""
    scores = scores_of(report, "elsewhere", dataset, condition)
    less = {
        one.method: one
        for one in differences_of(report, dataset, PROPOSED, study="elsewhere", condition=condition)
    }
    best = best_of([score.auroc.mean for score in scores], 1, DIGITS)
    heads = ["", "kind", "AUROC ↑", "95 % interval", "within patients ↑"]
    heads += ["sensitivity", "specificity"]
    if less:
        heads.append(f"AUROC less {report.title(PROPOSED)}")
    rows = []
    for at, score in enumerate(scores):
        cells = [
            Cell(report.title(score.method)),
            Cell(report.methods[score.method].kind),
            number(score.auroc, best=at in best),
            Cell(score.interval),
            number(score.patient_auroc),
            number(score.of("sensitivity"), 3),
            number(score.of("specificity"), 3),
        ]
        if less:
            cells.append(Cell(less[score.method].text) if score.method in less else Cell())
        rows.append(tuple(cells))
    return Table(
        f"Another cohort: {condition}",
        "Mean ± standard deviation over seeds. Nothing was tuned, calibrated or chosen on the "
        "test cohort.",
        tuple(map(Head, heads)),
        tuple(rows),
    )


def leak_table(report: RivalsComparison, dataset: str) -> Table:
    """How much AUROC rises when windows are split without regard to patients."""
    leaks = leaks_of(report, dataset)
    within = [name for name in leaks.conditions if any(name in one.within for one in leaks.leaks)]
    rows = tuple(
        (
            Cell(report.title(leak.method)),
            number(leak.patients),
            *(number(leak.others.get(name, Mean(math.nan, math.nan))) for name in leaks.conditions),
            *(less_cell(leak.inflation.get(name)) for name in leaks.conditions),
            *(less_cell(leak.within.get(name)) for name in within),
        )
        for leak in leaks.leaks
    )
    return Table(
        f"The error of a split by windows on {dataset}",
        "AUROC, mean ± standard deviation over seeds. Inflation is a split by windows minus the "
        "split by patients: the same windows, and as many models, trained on as many windows, or "
        "fewer where windows are kept apart. It is over pairs of windows that one model scored "
        "under both splits, so it is not exactly the difference of the columns. Within patients: "
        "the mean over patients. With the 95 % interval over patients and seeds, and p from "
        "swapping the two within patients, not corrected for the number of rows.",
        (
            Head(""),
            *(Head(name, "split by") for name in (PATIENTS, *leaks.conditions)),
            *(Head(name, "inflation") for name in leaks.conditions),
            *(Head(name, "inflation within patients") for name in within),
        ),
        rows,
    )

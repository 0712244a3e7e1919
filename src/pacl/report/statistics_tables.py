"""Intervals, paired differences, variance and worst patients, as tables (3).

Everything is over patients first: windows of one patient are alike, and seeds share the patients.
"""

from itertools import combinations

import numpy as np

from pacl.evaluation import EvaluationError
from pacl.report.paper_values import loss_title
from pacl.report.table import Cell, Head, Table
from pacl.studies import (
    AF_COHESION,
    AUROC,
    PATIENT_AUROC,
    SR_COHESION,
    Outcomes,
    auroc_spread,
    auroc_variance,
    loss_interval,
    lowest_patients,
)
from pacl.studies.claims import compare

COMPARED = (AUROC, PATIENT_AUROC, SR_COHESION, AF_COHESION)
VERDICTS = {"holds": "is higher", "does not hold": "is lower"}


def statistics_tables(outcomes: Outcomes) -> tuple[Table, ...]:
    """All of them for one cohort; those that need several seeds or losses where there are such."""
    tables = [intervals_table(outcomes)]
    if len(outcomes.losses) > 1:
        tables.append(differences_table(outcomes))
    if len(outcomes.seeds) > 1:
        tables.append(variance_table(outcomes))
    if len(outcomes.seeds) > 1 and len(outcomes.losses) > 1:
        tables.append(spread_table(outcomes))
    return (*tables, worst_table(outcomes))


def intervals_table(outcomes: Outcomes) -> Table:
    """What would be found in other patients: a 95 % interval for each loss."""
    rows = []
    for metric in COMPARED:
        cells = [Cell(metric.name)]
        for loss in outcomes.losses:
            try:
                cells.append(Cell(loss_interval(outcomes, loss, metric).describe()))
            except EvaluationError as error:
                values = outcomes.values(loss, metric.key)
                known = values[np.isfinite(values)]
                shown = f"{known.mean():.3f} " if known.size else ""
                cells.append(Cell(f"{shown}(no interval: {error})"))
        rows.append(tuple(cells))
    return Table(
        f"Intervals over patients, {outcomes.title}",
        f"Mean over seeds ({len(outcomes.seeds)}) with the interval at 95 % that other patients "
        "would give. Where intervals of AUROC with this number of patients cover less than "
        "90 % in simulation, the cell states it; for cohesion this was not studied.",
        (Head(""), *(Head(loss_title(loss)) for loss in outcomes.losses)),
        tuple(rows),
    )


def differences_table(outcomes: Outcomes) -> Table:
    """Losses against each other, on the same patients and seeds."""
    rows = []
    for metric in COMPARED:
        for first, second in combinations(outcomes.losses, 2):
            found = compare(outcomes, first, second, metric)
            known = np.isfinite(found.difference)
            left_out = f"without seed {', '.join(map(str, found.left_out))}" * bool(found.left_out)
            rows.append(
                (
                    Cell(metric.name),
                    Cell(f"{loss_title(first)} minus {loss_title(second)}"),
                    Cell(mean=found.difference, digits=4, signed=True) if known else Cell(),
                    Cell(f"{found.low:+.4f} to {found.high:+.4f}" if known else ""),
                    _p_value(found.p_value),
                    Cell(f"{found.over} {left_out}".strip()),
                    Cell(VERDICTS.get(found.verdict, "inconclusive")),
                )
            )
    heads = ("", "", "difference", "95 % interval", "p, these seeds", "over", "the first")
    return Table(
        f"Paired differences, {outcomes.title}",
        "On the same patients and seeds. The interval, over other patients and other seeds, "
        "decides. p is that of swapping the two losses within these patients, for these seeds; it "
        "is not corrected for the number of rows.",
        tuple(map(Head, heads)),
        tuple(rows),
    )


def variance_table(outcomes: Outcomes) -> Table:
    """Where the variance of a patient's AUROC comes from."""
    rows = []
    for loss in outcomes.losses:
        try:
            found = auroc_variance(outcomes, loss)
        except EvaluationError as error:
            rows.append((Cell(loss_title(loss)), *[Cell()] * 3, Cell(str(error))))
            continue
        shares = (found.subject_share, found.seed_share, found.rest_share)
        negative = f"estimated below 0: {', '.join(found.negative)}" if found.negative else ""
        cells = [Cell(mean=100 * share, digits=1) for share in shares]
        rows.append((Cell(loss_title(loss)), *cells, Cell(negative)))
    return Table(
        f"Variance of patients' AUROC, {outcomes.title}",
        "Shares in per cent: between patients, between seeds, and the rest (a seed's effect on one "
        "patient).",
        tuple(map(Head, ("", "patients", "seeds", "rest", ""))),
        tuple(rows),
    )


def spread_table(outcomes: Outcomes) -> Table:
    """Whether AUROC spreads less over seeds under the first loss than under others."""
    rows, first = [], outcomes.losses[0]
    for other in outcomes.losses[1:]:
        label = Cell(f"{loss_title(other)} / {loss_title(first)}")
        try:
            found = auroc_spread(outcomes, other, first)
        except EvaluationError as error:
            rows.append((label, *[Cell()] * 4, Cell(str(error))))
            continue
        needed = "too many to compute" if found.seeds_needed is None else str(found.seeds_needed)
        rows.append(
            (
                label,
                Cell(mean=found.ratio, digits=2),
                Cell(f"{found.low:.2f} to {found.high:.2f}"),
                _p_value(found.p_value),
                _p_value(found.p_paired),
                Cell(needed),
            )
        )
    return Table(
        f"Spread of AUROC over seeds, {outcomes.title}",
        "Ratio of standard deviations. Seeds needed: with this number of seeds per loss, four of "
        "five studies would show that a ratio of this size is not 1.",
        tuple(map(Head, ("", "ratio", "95 % interval", "F p", "paired p", "seeds needed"))),
        tuple(rows),
    )


def worst_table(outcomes: Outcomes, count: int = 5) -> Table:
    """The patients in whom AF is detected worst."""
    rows = []
    for loss in outcomes.losses:
        for one in lowest_patients(outcomes, loss, count):
            rows.append(
                (
                    Cell(loss_title(loss)),
                    Cell(one.subject),
                    Cell(mean=one.mean, sd=one.sd),
                    *(Cell(mean=float(count), digits=0) for count in one.windows),
                )
            )
    return Table(
        f"Worst patients, {outcomes.title}",
        "AUROC within the patient, mean ± SD over seeds; only patients with both rhythms.",
        tuple(map(Head, ("", "patient", "AUROC", "SR windows", "AF windows"))),
        tuple(rows),
    )


def _p_value(found: float | None) -> Cell:
    """A p-value; one that would be printed as 0 is shown as small."""
    if found is None:
        return Cell()
    return Cell("< 0.001") if found < 0.001 else Cell(mean=found)

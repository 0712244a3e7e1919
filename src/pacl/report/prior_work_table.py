"""Table 5 of the paper: earlier detectors, the paper's own, and what was measured here."""

from collections.abc import Sequence
from dataclasses import replace

from pacl.report.paper_values import PROPOSED, TABLE_5, Printed, PriorWork
from pacl.report.seed_cells import Notes, proposed_or_first, seed_columns
from pacl.report.table import Cell, Head, Table
from pacl.studies import Outcomes

MIXED = "Cross-validation with windows of one patient on both sides, which raises the numbers."
UNFIT = "No episode of MIT-BIH AF meets the paper's criteria (AF of 1 h after SR of 4 h)."
HEADS = ("Study", "Method", "Data", "Validation", "Sensitivity, %", "Specificity, %", "Accuracy, %")
KEYS = ("detection.sensitivity", "detection.specificity", "detection.accuracy")


def table_5(cohorts: Sequence[Outcomes], loss: str = PROPOSED) -> Table:
    """Earlier work as the paper quotes it, then one row per cohort that was evaluated here."""
    notes = Notes()
    rows = [_prior(work, notes) for work in TABLE_5]
    rows += [row for one in cohorts for row in _ours(one, proposed_or_first(one, loss), notes)]
    return Table(
        "Table 5 of the paper: beside earlier detectors of AF from RR intervals",
        "In per cent, ± standard deviation over seeds. Rows have different patients, criteria and "
        "evaluations, so their numbers cannot be compared. Earlier work is quoted as in the paper.",
        tuple(Head(head) for head in HEADS),
        tuple(rows),
        notes.texts,
        rules=(len(TABLE_5) - 1, len(TABLE_5)) if cohorts else (len(TABLE_5) - 1,),
    )


def _prior(work: PriorWork, notes: Notes) -> tuple[Cell, ...]:
    mixed = (notes.add(MIXED),) if work.mixed else ()
    unfit = (notes.add(UNFIT),) if work.unfit else ()
    return (
        Cell(work.study, paper=True),
        Cell(work.method, paper=True),
        Cell(work.dataset, paper=True, notes=unfit),
        Cell(work.validation, paper=True, notes=mixed),
        *map(_printed, work.printed),
    )


def _printed(found: Printed | None) -> Cell:
    if found is None:
        return Cell(paper=True)
    return Cell(mean=found.mean, sd=found.sd, digits=2, best=found.bold, paper=True)


def _ours(outcomes: Outcomes, loss: str, notes: Notes) -> list[tuple[Cell, ...]]:
    return [
        (
            Cell("Here", notes=column.notes),
            Cell(f"CNN+MLP, {column.title}"),
            Cell(outcomes.title),
            Cell(_validation(outcomes)),
            *(column.cell(key, percent=True) for key in KEYS),
        )
        for column in seed_columns(replace(outcomes, each=outcomes.of(loss)), notes)
    ]


def _validation(outcomes: Outcomes) -> str:
    if outcomes.on != "test":
        return "Other database"
    return f"{outcomes.folds} folds of patients" if outcomes.folds > 1 else "Patient holdout"

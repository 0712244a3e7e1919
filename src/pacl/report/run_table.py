"""Each run: how long it trained, which epoch was chosen, its results."""

from pacl.evaluation import read_evaluation
from pacl.report.paper_values import loss_title
from pacl.report.table import Cell, Head, Table
from pacl.studies import Outcome, Outcomes, RunFolder, value_of


def run_table(outcomes: Outcomes) -> Table:
    """One row per run, in the order of losses and seeds; with several folds, one row per fold."""
    folded = outcomes.folds > 1
    heads = ["Loss", "Seed", *["Fold"] * folded, "Epochs", "Best epoch", "Validation AUROC"]
    heads += ["AUROC", "SR cohesion", "Collapsed"]
    each = [one for loss in outcomes.losses for one in outcomes.of(loss)]
    rows = [
        _row(one, run, fold if folded else None)
        for one in each
        for fold, run in enumerate(one.runs, start=1)
    ]
    per_loss = len(rows) // len(outcomes.losses)
    return Table(
        f"Runs, {outcomes.title}",
        "The weights of the best epoch by validation AUROC are kept; AUROC and SR cohesion are "
        f"those of {outcomes.title}.",
        tuple(Head(head) for head in heads),
        tuple(rows),
        rules=tuple(range(per_loss, len(rows), per_loss)) if per_loss > 1 else (),
    )


def _row(outcome: Outcome, run: RunFolder, fold: int | None) -> tuple[Cell, ...]:
    history = run.history()
    best = [epoch for epoch in history if epoch["best"]][-1:]
    measured = read_evaluation(run.evaluated_where(outcome.on))
    alone = Outcome(outcome.loss, outcome.seed, (run,), outcome.on)
    return (
        Cell(loss_title(outcome.loss)),
        Cell(str(outcome.seed)),
        *([] if fold is None else [Cell(str(fold))]),
        _count(len(history) or None),
        _count(best[0]["epoch"] if best else None),
        Cell(mean=best[0]["score"] if best else None, digits=4),
        Cell(mean=value_of(measured, "detection.auroc"), digits=4),
        Cell(mean=value_of(measured, "pooled.classes.0.cohesion")),
        Cell("yes" if alone.collapsed else "no" if best else ""),
    )


def _count(number: int | None) -> Cell:
    return Cell(mean=None if number is None else float(number), digits=0)

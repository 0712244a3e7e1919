"""Tables 1 to 4 of the paper, measured here, beside what the paper prints."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pacl.records import Rhythm
from pacl.report.paper_values import (
    AF_WINDOWS,
    PROPOSED,
    SR_WINDOWS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    Losses,
    loss_title,
)
from pacl.report.seed_cells import Notes, SeedColumn, proposed_or_first, seed_columns, seeds_text
from pacl.report.table import Cell, Head, Table, best_of
from pacl.studies import AUROC, Metric, Outcomes

Space = Literal["pooled", "projected"]
GEOMETRY = (
    Metric("SR cohesion", "pooled.classes.0.cohesion"),
    Metric("AF cohesion", "pooled.classes.1.cohesion"),
    Metric("Centroid similarity", "pooled.centroid_similarity", -1),
    Metric("Centroid distance", "pooled.centroid_distance"),
    Metric("Global compactness", "pooled.compactness"),
    Metric("Per-patient compactness", "pooled.subject_compactness"),
)
BEYOND = (
    Metric("SR cohesion, global", "pooled.classes.0.global_cohesion", 0),
    Metric("AF cohesion, global", "pooled.classes.1.global_cohesion", 0),
    Metric("SR spread within patients", "pooled.classes.0.subject_spread", 0),
    Metric("AF spread within patients", "pooled.classes.1.subject_spread", 0),
    Metric("SR patients' spread ratio", "pooled_spread.classes.0.spread_ratio", 0),
    Metric("AF patients' spread ratio", "pooled_spread.classes.1.spread_ratio", 0),
    Metric("AUROC, mean over patients", "detection.auroc_subject_mean"),
    Metric("AUROC, worst tenth of patients", "detection.auroc_worst_tenth"),
)
"""What the paper leaves out and its own remarks ask for: raw spreads, cohesion of both kinds."""

OF_SR, OF_AF = (
    tuple(
        Metric(f"{rhythm.name} {name}", f"detection.classes.{rhythm:d}.{name.lower()}")
        for name in ("precision", "recall", "F1")
    )
    for rhythm in (Rhythm.SR, Rhythm.AF)
)
ACCURACY = Metric("Accuracy", "detection.accuracy")
PER_CLASS = (*OF_SR, *OF_AF, ACCURACY, AUROC)
COMPARED = (AUROC, *OF_AF, OF_SR[2], ACCURACY)
HERE, PAPER = "Here", "Paper"
ARROWS = {1: " ↑", -1: " ↓", 0: ""}
SPACES = {"pooled": "pooled embeddings (z-hat)", "projected": "projected embeddings (e-hat)"}


def table_1(outcomes: Outcomes, space: Space = "pooled") -> Table:
    """Geometry of the embeddings, and AUROC (3.1)."""
    return _by_metric(
        outcomes,
        f"Table 1 of the paper, {outcomes.title}: geometry of the embeddings",
        f"Geometry of {SPACES[space]}",
        _in_space((*GEOMETRY, AUROC), space),
        _paper_in_space(TABLE_1, space),
        rules=(len(GEOMETRY),),
    )


def table_2(outcomes: Outcomes, space: Space = "pooled") -> Table:
    """The full table of Appendix D, and below it what the paper does not print."""
    return _by_metric(
        outcomes,
        f"Table 2 of the paper, {outcomes.title}: geometry of the embeddings, in full",
        f"Geometry of {SPACES[space]}",
        _in_space((*GEOMETRY, AUROC, *BEYOND), space),
        _paper_in_space(TABLE_2, space),
        rules=(len(GEOMETRY), len(GEOMETRY) + 1),
    )


def table_3(outcomes: Outcomes, loss: str = PROPOSED) -> Table:
    """Each class by itself, for one loss: the proposed, or the first that was trained."""
    loss = proposed_or_first(outcomes, loss)
    first = outcomes.of(loss)[0]
    sr, af = (int(first.value(f"detection.classes.{at}.windows")) for at in (0, 1))
    windows = f"{af:,} AF and {sr:,} SR windows"
    if loss in TABLE_3:
        windows += f" here, {AF_WINDOWS:,} and {SR_WINDOWS:,} in the paper"
    only = replace(outcomes, each=outcomes.of(loss))
    return _by_metric(
        only,
        f"Table 3 of the paper, {outcomes.title}: each class, {loss_title(loss)}",
        f"{windows}, of unseen patients",
        PER_CLASS,
        TABLE_3,
        rules=(3, 6),
    )


def table_4(outcomes: Outcomes) -> Table:
    """The losses beside each other, one row each (App. E)."""
    notes = Notes()
    columns = seed_columns(outcomes, notes)
    cells = [_cells(columns, metric) for metric in COMPARED]
    rows = [
        (Cell(column.title, notes=column.notes), *(cell[at] for cell in cells))
        for at, column in enumerate(columns)
    ]
    losses = _paper_losses(outcomes, TABLE_4)
    printed = [_paper_cells(losses, TABLE_4, metric, notes) for metric in COMPARED]
    rows += [
        (Cell(f"{loss_title(loss)}, paper", paper=True), *(cell[at] for cell in printed))
        for at, loss in enumerate(losses)
    ]
    return Table(
        f"Table 4 of the paper, {outcomes.title}: detection by the probe, for each loss",
        _caption(outcomes, "All windows of unseen patients", COMPARED, bool(losses)),
        (Head("Loss"), *(Head(f"{metric.name} ↑") for metric in COMPARED)),
        tuple(rows),
        notes.texts,
        rules=(len(columns),) if losses else (),
    )


def _by_metric(
    outcomes: Outcomes,
    title: str,
    about: str,
    metrics: Sequence[Metric],
    paper: Losses,
    rules: tuple[int, ...],
) -> Table:
    """One row per metric: ours of each loss, then the paper's."""
    notes = Notes()
    columns = seed_columns(outcomes, notes)
    losses = _paper_losses(outcomes, paper)
    heads = [Head("Metric")]
    heads += [Head(column.title, HERE, column.notes) for column in columns]
    heads += [Head(loss_title(loss), PAPER) for loss in losses]
    return Table(
        title,
        _caption(outcomes, about, metrics, bool(losses)),
        tuple(heads),
        tuple(
            (
                Cell(metric.name + ARROWS[metric.better]),
                *_cells(columns, metric),
                *_paper_cells(losses, paper, metric, notes),
            )
            for metric in metrics
        ),
        notes.texts,
        rules,
    )


def _cells(columns: Sequence[SeedColumn], metric: Metric) -> list[Cell]:
    """What was measured, the best marked."""
    cells = [column.cell(metric.key) for column in columns]
    running = [
        cell.number if column.competes(metric.key) else None
        for column, cell in zip(columns, cells, strict=True)
    ]
    best = best_of(running, metric.better)
    return [replace(cell, best=at in best) for at, cell in enumerate(cells)]


def _caption(outcomes: Outcomes, about: str, metrics: Sequence[Metric], paper: bool) -> str:
    caption = f"{about}; {seeds_text(outcomes)}."
    if len(outcomes.losses) > 1:
        caption += " Bold: the best mean here, even where the difference is inconclusive"
        caption += "; the paper's as it prints them." if paper else "."
    elif paper:
        caption += " Bold: what the paper prints bold."
    lower = any(metric.better < 0 for metric in metrics)
    return caption + " ↑ higher is better" + (", ↓ lower." if lower else ".")


def _in_space(metrics: Sequence[Metric], space: str) -> list[Metric]:
    return [replace(metric, key=metric.key.replace("pooled", space)) for metric in metrics]


def _paper_in_space(paper: Losses, space: str) -> Losses:
    """The paper does not state the space of its numbers: they are beside either."""
    return {
        loss: {key.replace("pooled", space): value for key, value in values.items()}
        for loss, values in paper.items()
    }


def _paper_losses(outcomes: Outcomes, paper: Losses) -> tuple[str, ...]:
    """Losses of a study that a table of the paper has too."""
    return tuple(loss for loss in outcomes.losses if loss in paper)


def _paper_cells(losses: Sequence[str], paper: Losses, metric: Metric, notes: Notes) -> list[Cell]:
    """One cell per loss; a dash where the paper has no number."""
    wrong = _marked_though_not_best(paper, metric)
    cells = []
    for loss in losses:
        found = paper[loss].get(metric.key)
        if found is None:
            cells.append(Cell(paper=True))
            continue
        cells.append(
            Cell(
                mean=found.mean,
                sd=found.sd,
                signed=metric.key.endswith("centroid_similarity"),
                best=found.bold,
                paper=True,
                notes=(notes.add(wrong[loss]),) if loss in wrong else (),
            )
        )
    return cells


def _marked_though_not_best(paper: Losses, metric: Metric) -> dict[str, str]:
    """Losses whose number is bold although another's is better, each with a note."""
    known = {loss: values[metric.key] for loss, values in paper.items() if metric.key in values}
    best = [list(known)[at] for at in best_of([one.mean for one in known.values()], metric.better)]
    return {
        loss: f"Printed bold in the paper, although {loss_title(best[0])}'s "
        f"{known[best[0]].mean:.3f} is better."
        for loss, value in known.items()
        if value.bold and best and loss not in best
    }

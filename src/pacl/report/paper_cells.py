"""What the paper prints, as cells; where it marks a number that is not the best, a note says so."""

from collections.abc import Sequence

from pacl.report.paper_values import Losses, loss_title
from pacl.report.seed_cells import Notes
from pacl.report.table import Cell, best_of
from pacl.studies.metric import Metric
from pacl.studies.outcomes import Outcomes


def paper_losses(outcomes: Outcomes, paper: Losses) -> tuple[str, ...]:
    """Losses of a study that a table of the paper has too."""
    return tuple(loss for loss in outcomes.losses if loss in paper)


def paper_cells(losses: Sequence[str], paper: Losses, metric: Metric, notes: Notes) -> list[Cell]:
    """A cell a loss, a dash where the paper prints nothing."""
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
    """Losses whose number is printed bold although another's is better, and what to say of it."""
    known = {loss: values[metric.key] for loss, values in paper.items() if metric.key in values}
    best = [list(known)[at] for at in best_of([one.mean for one in known.values()], metric.better)]
    return {
        loss: f"Printed bold in the paper, although {loss_title(best[0])}'s "
        f"{known[best[0]].mean:.3f} is better."
        for loss, value in known.items()
        if value.bold and best and loss not in best
    }

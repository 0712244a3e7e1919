"""All losses by each metric: mean and standard deviation over seeds, and each seed (Fig. 2)."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.report.figures.losses import Look, loss_looks
from pacl.report.figures.study_figure import StudyFigure
from pacl.report.style import FAINT, INK, FigureError, draw_grid, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pacl.evaluation import Evaluation

PAPER_METRICS: Mapping[str, str] = {
    "AUROC": "detection.auroc",
    "AF precision": "detection.classes.1.precision",
    "AF recall": "detection.classes.1.recall",
    "AF F1": "detection.classes.1.f1",
    "SR F1": "detection.classes.0.f1",
    "Accuracy": "detection.accuracy",
}
"""What the paper compares, and where an evaluation keeps it."""


@dataclass(frozen=True, slots=True)
class SeedSummary:
    """A metric of one loss: its seeds, their mean and their sample standard deviation.

    The mean is None where a seed has no value, the deviation also where there is only one seed.
    """

    loss: str
    metric: str
    values: tuple[float, ...]
    mean: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """A summary for each metric and loss."""

    metrics: tuple[str, ...]
    losses: tuple[str, ...]
    summaries: tuple[SeedSummary, ...]

    def of(self, metric: str, loss: str) -> SeedSummary:
        """The summary of one metric of one loss."""
        return next(x for x in self.summaries if (x.metric, x.loss) == (metric, loss))


def metric_values(
    evaluations: "Mapping[str, Sequence[Evaluation]]", metrics: Mapping[str, str] = PAPER_METRICS
) -> dict[str, dict[str, list[float | None]]]:
    """Take metrics out of evaluations (loss to evaluations over seeds), by their dotted keys."""
    from pacl.studies import value_of

    return {
        loss: {name: [value_of(one, key) for one in found] for name, key in metrics.items()}
        for loss, found in evaluations.items()
    }


def compute_comparison(
    values: Mapping[str, Mapping[str, Sequence[float | None]]],
) -> MetricComparison:
    """Summarise loss -> metric -> values over seeds; metrics in the order of the first loss."""
    metrics = tuple(next(iter(values.values()), {}))
    if not metrics:
        raise FigureError("no metrics to compare; give values over seeds for one loss or more")
    found = []
    for loss, of_loss in values.items():
        for metric in metrics:
            seeds = of_loss.get(metric, ())
            if not seeds:
                raise FigureError(
                    f"{loss} has no values of {metric!r}; give all losses the same metrics"
                )
            known = tuple(value for value in seeds if value is not None)
            complete = len(known) == len(seeds)
            found.append(
                SeedSummary(
                    loss,
                    metric,
                    known,
                    statistics.fmean(known) if complete else None,
                    statistics.stdev(known) if complete and len(known) > 1 else None,
                )
            )
    return MetricComparison(metrics, tuple(values), tuple(found))


def draw_comparison(comparison: MetricComparison, *, separate: bool = False) -> "Figure":
    """Draw dots, not bars: the axis does not start at 0. `separate` gives each metric its own."""
    looks = loss_looks(comparison.losses)
    count = len(comparison.metrics)
    across = 0.30 * len(looks) + 0.55
    rows, columns, size = 1, 1, (max(count * across + 0.9, 3.6), 3.3)
    if separate:
        columns = min(count, 4)
        rows = -(-count // columns)
        size = (max(columns * (across + 0.85), 3.6), 2.4 * rows + 0.35)
    with new_figure(*size) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        if separate:
            for axes, metric in zip(grid, comparison.metrics, strict=False):
                _draw_metrics(axes, comparison, (metric,), looks)
                axes.set(title=metric, xticks=[])
            for axes in grid[count:]:
                axes.axis("off")
        else:
            _draw_metrics(grid[0], comparison, comparison.metrics, looks)
        _draw_legend(figure, comparison, looks)
    return figure


def _draw_metrics(
    axes: "Axes", comparison: MetricComparison, metrics: Sequence[str], looks: Mapping[str, Look]
) -> None:
    step = 0.8 / max(len(looks), 3)
    for at, metric in enumerate(metrics):
        for number, (loss, look) in enumerate(looks.items()):
            found = comparison.of(metric, loss)
            x = at + (number - (len(looks) - 1) / 2) * step
            beside = x + step * np.linspace(-0.28, 0.28, len(found.values) + 2)[1:-1]
            axes.scatter(beside, found.values, s=9, c=look.colour, alpha=0.4, lw=0, zorder=2)
            if found.mean is None:
                low = axes.get_xaxis_transform()
                axes.text(x, 0.02, "no\nmean", transform=low, ha="center", fontsize=7)
                continue
            dot: dict[str, Any] = {"fmt": look.marker, "ms": 6.5, "mec": "white", "mew": 0.6}
            bar: dict[str, Any] = {"color": look.colour, "elinewidth": 1.4, "capsize": 3}
            axes.errorbar(x, found.mean, found.deviation, **dot, **bar, zorder=3)
    axes.set_xticks(range(len(metrics)), metrics)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.55, len(metrics) - 0.45)
    for edge in range(len(metrics) - 1):
        axes.axvline(edge + 0.5, color=FAINT, lw=0.5)
    axes.margins(y=0.08)
    draw_grid(axes, "y")


def _draw_legend(figure: "Figure", comparison: MetricComparison, looks: Mapping[str, Look]) -> None:
    from matplotlib.lines import Line2D

    seeds = max(len(found.values) for found in comparison.summaries)
    handles = [Line2D([], [], marker=x.marker, ls="", color=x.colour) for x in looks.values()]
    names = [look.name for look in looks.values()]
    if seeds > 1:
        handles.append(Line2D([], [], marker="o", ms=3, ls="", color=INK, alpha=0.4))
        names.append("each seed; bars: one SD")
    columns = max(int(figure.get_figwidth() / 1.4), 1)
    spaces = {"handletextpad": 0.1, "columnspacing": 1.2}
    figure.legend(handles, names, loc="outside upper left", ncols=columns, **spaces)


FIGURE = StudyFigure(
    name="comparison",
    section="detection",
    order=10,
    alt="Detection metrics of each loss, mean and standard deviation over seeds",
    caption="**Detection, {cohort}.** Mean ± SD over seeds; faint dots are the seeds. The axis "
    "does not start at 0.",
    compute=lambda study: compute_comparison(metric_values(study.evaluations())),
    draw=draw_comparison,
    wide=True,
)

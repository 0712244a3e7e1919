"""ROC of each loss over all windows together: mean over seeds, and the range of the seeds."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float64, Int
from pacl.report.figures.losses import Look, loss_looks
from pacl.report.figures.study_figure import StudyData, StudyFigure
from pacl.report.style import FigureError, draw_grid, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRID = np.unique(np.concatenate([np.linspace(0, 1, 401), np.logspace(-4, 0, 400)]))
"""Shares of false alarms at which seeds are averaged; dense towards 0."""
ZOOMS = (0.02, 0.05, 0.1, 0.2, 0.4)

Scored = tuple[Int[Array, "window"], Float64[Array, "window"]]
"""Labels (0 SR, 1 AF) of windows and the probability of AF in each."""


@dataclass(frozen=True, eq=False, slots=True)
class RocCurve:
    """One loss: sensitivity at each share of false alarms of `GRID`, one row per seed."""

    sensitivity: Float64[Array, "seed point"]
    aurocs: tuple[float, ...]

    @property
    def mean(self) -> Float64[Array, "point"]:
        """Mean over seeds at a given share of false alarms."""
        found: Float64[Array, "point"] = self.sensitivity.mean(axis=0)
        return found

    @property
    def equal_error(self) -> float:
        """Where the mean curve misses as often as it raises a false alarm."""
        return float(GRID[np.argmax(self.mean >= 1 - GRID)])


@dataclass(frozen=True, eq=False, slots=True)
class RocPicture:
    """The curve of each loss, and how much of the corner to enlarge."""

    curves: Mapping[str, RocCurve]
    zoom: float


def compute_roc(scored: Mapping[str, Sequence[Scored]]) -> RocPicture:
    """Compute the curve of each loss from labels and probabilities of each seed."""
    from pacl.evaluation import measure_auroc, roc_at  # its package loads torch

    if not any(scored.values()):
        raise FigureError("no predictions to draw; give one or more runs of a loss")
    curves = {
        loss: RocCurve(
            np.stack([roc_at(labels, probability, GRID) for labels, probability in seeds]),
            tuple(measure_auroc(labels, probability) for labels, probability in seeds),
        )
        for loss, seeds in scored.items()
        if seeds
    }
    worst = max(curve.equal_error for curve in curves.values())
    return RocPicture(curves, next((zoom for zoom in ZOOMS if zoom >= 2 * worst), ZOOMS[-1]))


def draw_roc(picture: RocPicture) -> "Figure":
    """Draw the full curve, and beside it the corner in which losses differ."""
    from matplotlib.patches import Rectangle

    looks = loss_looks(picture.curves)
    zoom = picture.zoom
    with new_figure(7.2, 3.75) as figure:
        full, corner = figure.subplots(1, 2)
        for axes in (full, corner):
            for loss, look in looks.items():
                _draw_curve(axes, picture.curves[loss], look)
            axes.set(xlabel="false alarms (1 - specificity)", aspect="equal")
            draw_grid(axes)
        full.plot([0, 1], [0, 1], color="#999999", lw=0.7, ls=(0, (4, 3)))
        full.set(xlim=(-0.01, 1), ylim=(0, 1.01), ylabel="sensitivity", title="all windows")
        box = Rectangle((0, 1 - zoom), zoom, zoom, fc="none", ec="#777777", lw=0.8, zorder=4)
        full.add_patch(box)
        corner.set(xlim=(0, zoom), ylim=(1 - zoom, 1.0), title="the corner, enlarged")
        ticks = np.linspace(0, zoom, 5)
        corner.set(xticks=ticks, yticks=1 - zoom + ticks)
        full.legend(loc="lower right", fontsize=8, handlelength=1.6)
    return figure


def _draw_curve(axes: "Axes", curve: RocCurve, look: Look) -> None:
    label = f"{look.name}, AUROC {statistics.fmean(curve.aurocs):.3f}"
    if len(curve.aurocs) > 1:
        label += f" ± {statistics.stdev(curve.aurocs):.3f}"
        low, high = curve.sensitivity.min(axis=0), curve.sensitivity.max(axis=0)
        axes.fill_between(GRID, low, high, color=look.colour, alpha=0.18, lw=0)
    marks: dict[str, Any] = {"marker": look.marker, "ms": 4, "markevery": 0.13}
    axes.plot(GRID, curve.mean, color=look.colour, lw=1.5, label=label, **marks)


def _predictions(study: StudyData) -> dict[str, list[Scored]]:
    each = study.outcomes
    return {
        loss: [(one.predictions.labels, one.predictions.probability) for one in each.of(loss)]
        for loss in each.losses
    }


FIGURE = StudyFigure(
    name="roc",
    section="detection",
    order=20,
    alt="ROC curve of each loss and its upper left corner",
    caption="**ROC, {cohort}.** Patients pooled; mean over seeds with the range of the seeds.",
    compute=lambda study: compute_roc(_predictions(study)),
    draw=draw_roc,
)

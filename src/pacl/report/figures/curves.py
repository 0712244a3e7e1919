"""Validation AUROC and loss of each run by epoch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.report.figures.losses import Look, loss_looks
from pacl.report.figures.study_figure import StudyData, StudyFigure
from pacl.report.style import INK, FigureError, draw_grid, new_figure
from pacl.report.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLLAPSE_COLOUR = "#D55E00"


@dataclass(frozen=True, slots=True)
class Curve:
    """One run: its epochs, the best of them, and those with collapsed embeddings."""

    epochs: tuple[int, ...]
    score: tuple[float, ...]
    loss: tuple[float, ...]
    best: int
    collapsed: tuple[int, ...]


Curves = Mapping[str, tuple[Curve, ...]]
"""The runs of each loss."""


def compute_curves(histories: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> Curves:
    """Read the histories of runs (loss to runs to epochs), as `RunFolder.history` gives them."""
    kept = {
        loss: tuple(_curve(loss, epochs) for epochs in runs if epochs)
        for loss, runs in histories.items()
    }
    kept = {loss: curves for loss, curves in kept.items() if curves}
    if not kept:
        raise FigureError("no run has an epoch to draw; give runs that were trained")
    return kept


def _curve(loss: str, epochs: Sequence[Mapping[str, Any]]) -> Curve:
    from pacl.training import COLLAPSED

    try:
        best = [int(one["epoch"]) for one in epochs if one["best"]]
        return Curve(
            epochs=tuple(int(one["epoch"]) for one in epochs),
            score=tuple(
                math.nan if one["score"] is None else float(one["score"]) for one in epochs
            ),
            loss=tuple(float(one["loss"]) for one in epochs),
            best=best[-1] if best else int(epochs[0]["epoch"]),
            collapsed=tuple(
                int(one["epoch"])
                for one in epochs
                if min(one["pooled_spread"], one["projected_spread"]) < COLLAPSED
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FigureError(
            f"a run of {loss}: an epoch cannot be read ({error}); train the run again"
        ) from error


def draw_curves(curves: Curves) -> "Figure":
    """Draw one column per loss. AUROC shares one axis; losses do not, since their values differ."""
    from matplotlib.ticker import MaxNLocator

    looks = loss_looks(curves)
    last = max(curve.epochs[-1] for runs in curves.values() for curve in runs)
    with new_figure(max(2.5 * len(looks) + 0.6, 3.6), 4.2) as figure:
        grid = figure.subplots(2, len(looks), sharex=True, squeeze=False)
        for column, (loss, look) in enumerate(looks.items()):
            top, bottom = grid[:, column]
            if column:
                top.sharey(grid[0, 0])
                top.tick_params(labelleft=False)
            for curve in curves[loss]:
                _draw_run(top, curve, curve.score, look)
                _draw_run(bottom, curve, curve.loss, look)
            top.set_title(f"{look.name}, {counted(len(curves[loss]), 'run')}")
            bottom.set_xlabel("epoch")
            bottom.xaxis.set_major_locator(MaxNLocator(6, integer=True))
            bottom.set_xlim(0, last + 1)
            for axes in (top, bottom):
                draw_grid(axes, "y")
        grid[0, 0].set_ylabel("validation AUROC")
        grid[1, 0].set_ylabel("training loss")
        _draw_legend(figure, curves)
    return figure


def _draw_run(axes: "Axes", curve: Curve, values: Sequence[float], look: Look) -> None:
    axes.plot(curve.epochs, values, color=look.colour, lw=0.9, alpha=0.65)
    row = curve.epochs.index(curve.best)
    axes.plot(curve.best, values[row], look.marker, color=look.colour, ms=6, mec="white", mew=0.6)
    fallen = [values[curve.epochs.index(epoch)] for epoch in curve.collapsed]
    axes.plot(curve.collapsed, fallen, "x", color=COLLAPSE_COLOUR, ms=6, mew=1.5, zorder=4)


def _draw_legend(figure: "Figure", curves: Curves) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], marker="o", ls="", color=INK, ms=5)]
    names = ["best epoch, whose weights are kept"]
    if any(curve.collapsed for runs in curves.values() for curve in runs):
        handles.append(Line2D([], [], marker="x", ls="", color=COLLAPSE_COLOUR, mew=1.5))
        names.append("embeddings collapsed to a point")
    columns = 2 if figure.get_figwidth() > 5 else 1
    figure.legend(handles, names, loc="outside upper left", ncols=columns, handletextpad=0.1)


def _histories(study: StudyData) -> dict[str, list[Sequence[Mapping[str, Any]]]]:
    each = study.outcomes
    return {
        loss: [run.history() for one in each.of(loss) for run in one.runs] for loss in each.losses
    }


FIGURE = StudyFigure(
    name="training",
    section="method",
    order=30,
    alt="Validation AUROC and loss by epoch for each run",
    caption="**Training.** AUROC on validation patients and the training loss, one line per run. "
    "The dot is the epoch whose weights were kept, a cross an epoch with collapsed embeddings.",
    compute=lambda study: compute_curves(_histories(study)),
    draw=draw_curves,
    wide=True,
)

"""Figures of a tuning: the score of each trial, and the importance of each setting."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.records import Rhythm
from pacl.report.style import INK, RHYTHM_COLOURS, draw_grid, figure_style, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pacl.studies.tuning import Outcome

FINISHED = RHYTHM_COLOURS[Rhythm.SR]
BEST = RHYTHM_COLOURS[Rhythm.AF]
PRUNED = RHYTHM_COLOURS[Rhythm.UNKNOWN]


@dataclass(frozen=True, slots=True)
class History:
    """Trials in their order: (number, value) of each kind, and the best value so far."""

    title: str
    finished: tuple[tuple[int, float], ...]
    pruned: tuple[tuple[int, float], ...]
    failed: tuple[int, ...]
    best: tuple[tuple[int, float], ...]
    """Where the best value so far begins, and where it changes."""
    last: int


def compute_history(outcome: "Outcome") -> History:
    """The scores of all trials, and the best so far."""
    from pacl.studies.tuning import best_so_far  # its package loads torch

    values = {
        kind: tuple(
            (t.number, t.value) for t in outcome.tried if t.ended == kind and t.value is not None
        )
        for kind in ("finished", "pruned")
    }
    steps: list[tuple[int, float]] = []
    for trial, best in zip(outcome.tried, best_so_far(outcome.tried), strict=True):
        if not math.isnan(best) and (not steps or best > steps[-1][1]):
            steps.append((trial.number, best))
    return History(
        title=f"{outcome.loss}, {outcome.space} space",
        finished=values["finished"],
        pruned=values["pruned"],
        failed=tuple(trial.number for trial in outcome.tried if trial.ended == "failed"),
        best=tuple(steps),
        last=max((trial.number for trial in outcome.tried), default=1),
    )


def draw_history(history: History, path: Path) -> None:
    """Draw the trials in their order; the ending of `path` is the format."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with figure_style():
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        axes = figure.add_subplot()
        _draw_best(axes, history)
        for points, colour, name in (
            (history.pruned, PRUNED, "pruned"),
            (history.finished, FINISHED, "finished"),
        ):
            if points:
                face = colour if name == "finished" else "white"
                number, value = zip(*points, strict=True)
                axes.scatter(
                    number,
                    value,
                    s=22,
                    fc=face,
                    ec=colour,
                    lw=1,
                    label=f"{len(points)} {name}",
                    zorder=3,
                )
        if history.failed:
            axes.plot(
                history.failed,
                [0.02] * len(history.failed),
                ls="",
                marker="x",
                ms=5,
                color=INK,
                transform=axes.get_xaxis_transform(),
                label=f"{len(history.failed)} failed",
            )
        axes.set(xlim=(0.3, history.last + 0.7), xlabel="trial", ylabel="validation AUROC")
        axes.set_title(history.title)
        axes.margins(y=0.12)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        draw_grid(axes, "y")
        if history.finished or history.pruned or history.failed:
            figure.legend(loc="outside upper right", ncols=4, handletextpad=0.3)
        save_figure(figure, path)


def _draw_best(axes: "Axes", history: History) -> None:
    """The best value so far, as stairs up to the last trial."""
    if not history.best:
        return
    numbers = [number for number, _ in history.best]
    values = [value for _, value in history.best]
    axes.step([*numbers, history.last], [*values, values[-1]], where="post", color=BEST, lw=1.4)
    axes.annotate(
        f"{values[-1]:.4f}",
        (numbers[-1], values[-1]),
        xytext=(0, 5),
        textcoords="offset points",
        color=BEST,
        ha="right" if numbers[-1] > history.last / 2 else "left",
        fontsize=8,
    )


def draw_importances(importances: Mapping[str, float], title: str, path: Path) -> None:
    """Draw the share of each setting, the largest on top; the ending of `path` is the format."""
    from matplotlib.figure import Figure

    shares = sorted(importances.items(), key=lambda item: item[1])
    with figure_style():
        figure = Figure(figsize=(8, 1.1 + 0.27 * len(shares)), layout="constrained")
        axes = figure.add_subplot()
        bars = axes.barh(
            [key for key, _ in shares], [share for _, share in shares], 0.62, color=FINISHED
        )
        axes.bar_label(bars, [f"{share:.2f}" for _, share in shares], padding=3, fontsize=8)
        axes.set(xlim=(0, 1.05 * max(share for _, share in shares) + 0.03), title=title)
        axes.set_xlabel("share of the variance of validation AUROC over finished trials (fANOVA)")
        axes.tick_params(axis="y", length=0)
        save_figure(figure, path)

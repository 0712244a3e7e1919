"""A forest plot: each system less a reference, by each measure."""

import math
from typing import TYPE_CHECKING

from pacl.report.style import INK, FigureError, draw_grid, new_figure
from pacl.studies.systems import MEASURES, SystemDifference, SystemsStudy, differences_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"above": "#0072B2", "below": "#D55E00", "open": "#8A8A8A"}
WORDS = {"above": "conclusively higher", "below": "conclusively lower", "open": "inconclusive"}


def compute_forest(study: SystemsStudy, reference: str) -> dict[str, tuple[SystemDifference, ...]]:
    """Differences by each measure, in the order of the tables."""
    found = {measure: differences_of(study, reference, measure) for measure in MEASURES}
    if not any(found.values()):
        raise FigureError(f"no system to compare with {reference}; there is nothing to draw")
    return found


def draw_forest(
    forest: dict[str, tuple[SystemDifference, ...]], study: SystemsStudy, reference: str
) -> "Figure":
    """Draw one panel per measure."""
    from matplotlib.lines import Line2D

    names = [one.system for one in next(iter(forest.values()))]
    with new_figure(1.7 + 2.3 * len(forest), 0.3 * len(names) + 1.35) as figure:
        panels = figure.subplots(1, len(forest), sharey=True, squeeze=False)[0]
        for axes, (measure, each) in zip(panels, forest.items(), strict=True):
            _draw_measure(axes, each)
            axes.set_title(MEASURES[measure])
            axes.set_xlabel(f"less {study.system(reference).title}")
        panels[0].set_yticks(range(len(names)), [study.system(name).title for name in names])
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        present = {one.verdict for each in forest.values() for one in each}
        legend = {
            words: Line2D([], [], marker="o", ms=4.5, color=COLOURS[name], lw=1.6)
            for name, words in WORDS.items()
            if name in present
        }
        figure.legend([*legend.values()], [*legend], loc="outside upper right", ncols=3)
    return figure


def _draw_measure(axes: "Axes", each: tuple[SystemDifference, ...]) -> None:
    axes.axvline(0, color=INK, lw=0.8)
    for y, one in enumerate(each):
        colour = COLOURS[one.verdict]
        if not math.isnan(one.low):
            axes.hlines(y, one.low, one.high, color=colour, lw=1.6)
        axes.plot(one.estimate, y, "o", ms=4.5, color=colour, mec="white", mew=0.5, zorder=3)
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="y", length=0)
    draw_grid(axes, "x")
    axes.spines["left"].set_visible(False)

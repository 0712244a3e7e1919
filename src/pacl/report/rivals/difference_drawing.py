"""A forest plot: each system minus a reference, by all windows and within patients."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pacl.records import Rhythm
from pacl.report.style import INK, RHYTHM_COLOURS, FigureError, draw_grid, new_figure
from pacl.studies.rivals import MEASURES, Difference, RivalsComparison, differences_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "above": RHYTHM_COLOURS[Rhythm.SR],
    "below": RHYTHM_COLOURS[Rhythm.AF],
    "open": "#8A8A8A",
}
STRETCHED = 0.001
"""Differences up to here are drawn in proportion, larger ones by their logarithm, if needed."""
FAR = 0.02
"""Differences from here on need it."""
WORDS = {
    "above": "significantly better",
    "below": "significantly worse",
    "open": "inconclusive",
}


def compute_forest(
    report: RivalsComparison, dataset: str, reference: str
) -> dict[str, tuple[Difference, ...]]:
    """Differences by each measure, all in the order of the first measure."""
    found = {measure: differences_of(report, dataset, reference, measure) for measure in MEASURES}
    found = {measure: each for measure, each in found.items() if each}
    if not found:
        raise FigureError(
            f"no system on {dataset} was compared with {reference}; there is nothing to draw"
        )
    order = [one.method for one in next(iter(found.values()))]
    return {
        measure: tuple(sorted(each, key=lambda one: order.index(one.method)))
        for measure, each in found.items()
    }


def draw_forest(
    forest: dict[str, tuple[Difference, ...]], report: RivalsComparison, reference: str
) -> "Figure":
    """Draw one panel per measure, the highest difference on top, stretched around 0 if needed."""
    from matplotlib.lines import Line2D

    names = [one.method for one in next(iter(forest.values()))]
    with new_figure(1.9 + 3.6 * len(forest), 0.27 * len(names) + 1.35) as figure:
        panels = figure.subplots(1, len(forest), sharey=True, squeeze=False)[0]
        for axes, (measure, each) in zip(panels, forest.items(), strict=True):
            _draw_measure(axes, each, names)
            axes.set_title(measure)
            axes.set_xlabel(f"AUROC minus that of {report.title(reference)}")
        panels[0].set_yticks(range(len(names)), [report.title(name) for name in names])
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        present = {one.verdict for each in forest.values() for one in each}
        legend = {
            words: Line2D([], [], marker="o", ms=4.5, color=COLOURS[name], lw=1.6)
            for name, words in WORDS.items()
            if name in present
        }
        figure.legend([*legend.values()], [*legend], loc="outside upper right", ncols=3)
    return figure


def _draw_measure(axes: "Axes", each: Sequence[Difference], names: Sequence[str]) -> None:
    axes.axvline(0, color=INK, lw=0.8)
    for one in each:
        y, colour = names.index(one.method), COLOURS[one.verdict]
        if not (math.isnan(one.low) or math.isnan(one.high)):
            axes.hlines(y, one.low, one.high, color=colour, lw=1.6)
        axes.plot(one.estimate, y, "o", ms=4.5, color=colour, mec="white", mew=0.5, zorder=3)
        axes.annotate(
            _signed(f"{one.estimate:+.4f}"),
            (1, y),
            (4, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
            color=colour,
            annotation_clip=False,
        )
    if max(abs(one.estimate) for one in each) >= FAR:
        _stretch(axes)
    else:
        axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="y", length=0)
    draw_grid(axes, "x")
    axes.spines["left"].set_visible(False)


def _stretch(axes: "Axes") -> None:
    """Stretch the axis around 0, where most systems are."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = axes.get_xlim()
    axes.set_xscale("symlog", linthresh=STRETCHED, linscale=0.7)
    axes.set_xlim(min(1.2 * low, -1.5 * STRETCHED), max(1.2 * high, 1.5 * STRETCHED))
    ticks = [sign * size for sign in (-1, 1) for size in (0.001, 0.01, 0.1)]
    axes.xaxis.set_major_locator(FixedLocator([0, *ticks]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", labelsize="small")  # 0.001 and 0.01 are close together
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _signed(f"{x:+g}") if x else "0"))


def _signed(number: str) -> str:
    return number.replace("-", "\N{MINUS SIGN}")

"""Curves over the number of labelled patients, one panel per kind of system."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pacl.report.style import INK, FigureError, draw_grid, new_figure
from pacl.studies.rivals import (
    KINDS,
    PROPOSED,
    STATISTICS,
    LabelCurve,
    LabelCurves,
    RivalsComparison,
    patients_in,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
"""Okabe and Ito's, without black and yellow; black is the proposed one's."""
GREY = "#6E6E6E"
TICKS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)
HIGHEST = 0.99999
SPACE = 0.075
"""Least space between two names, as a part of the height of a panel."""


def draw_label_curves(curves: LabelCurves, report: RivalsComparison) -> "Figure":
    """Draw AUROC by its distance from 1, so that differences of good systems are visible."""
    from matplotlib.ticker import FixedLocator, NullLocator

    if not curves.curves:
        raise FigureError("no system was trained on few patients; there is no curve to draw")
    kinds = [
        kind
        for kind in KINDS
        if any(report.methods[curve.method].kind == kind for curve in curves.curves)
    ]
    means = [found.mean for curve in curves.curves for found in curve.auroc]
    known = [mean for mean in means if not math.isnan(mean)]
    lowest, highest = min(known), max(known)
    down, across = math.ceil(len(kinds) / 2), min(len(kinds), 2)
    with new_figure(4.6 * across, 3.0 * down + 0.2) as figure:
        panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        shown = [tick for tick in TICKS if _height(tick) <= _height(highest) + 0.2]
        for axes in panels.ravel():
            margin = 0.06 * (_height(highest) - _height(lowest)) + 0.02
            axes.set_ylim(_height(lowest) - margin, _height(highest) + margin)
            axes.yaxis.set_major_locator(FixedLocator([_height(tick) for tick in shown]))
            axes.yaxis.set_minor_locator(NullLocator())
            axes.set_yticklabels([f"{tick:g}" for tick in shown])
            axes.set_xticks(range(len(curves.conditions)), map(_short, curves.conditions))
            axes.set_xlim(-0.25, len(curves.conditions) - 0.75)
            draw_grid(axes, "y")
        for axes, kind in zip(panels.ravel(), kinds, strict=False):
            axes.set_title(kind)
            _draw_kind(axes, curves.curves, report, kind)
        for axes in panels.ravel()[len(kinds) :]:
            axes.axis("off")
        for axes in panels[-1]:
            axes.set_xlabel("training patients with labels")
        for axes in panels[:, 0]:
            axes.set_ylabel("AUROC")
    return figure


def _draw_kind(
    axes: "Axes", curves: Sequence[LabelCurve], report: RivalsComparison, kind: str
) -> None:
    """The systems of a kind in colour, and the two references in each panel."""
    own = [curve for curve in curves if report.methods[curve.method].kind == kind]
    references = [curve for curve in curves if curve.method in (PROPOSED, STATISTICS)]
    colours = iter(COLOURS * 3)
    ends = []
    for curve in [*references, *(curve for curve in own if curve not in references)]:
        if curve.method == PROPOSED:
            look: dict[str, Any] = {"color": INK, "lw": 2.0, "zorder": 4}
        elif curve.method == STATISTICS:
            look = {"color": GREY, "lw": 2.0, "ls": (0, (4, 1.5)), "zorder": 3}
        else:
            look = {"color": next(colours), "lw": 1.4, "zorder": 3.5}
        known = [
            (at, _height(found.mean))
            for at, found in enumerate(curve.auroc)
            if not math.isnan(found.mean)
        ]
        axes.plot(*zip(*known, strict=True), marker="o", ms=3.2, **look)
        ends.append((*known[-1], report.title(curve.method), str(look["color"])))
    _name_ends(axes, ends)


def _name_ends(axes: "Axes", ends: Sequence[tuple[int, float, str, str]]) -> None:
    """Names right of the last points, moved apart where they would cover each other."""
    low, high = axes.get_ylim()
    space = SPACE * (high - low)
    ordered = sorted(ends, key=lambda end: end[1])
    heights = spread_apart([end[1] for end in ordered], space, low, high)
    right = axes.get_xlim()[1]
    for (x, y, name, colour), height in zip(ordered, heights, strict=True):
        axes.annotate(
            name,
            (x, y),
            (right + 0.25, height),
            color=colour,
            fontsize=8,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "lw": 0.5,
                "shrinkA": 1,
                "shrinkB": 3,
                "relpos": (0, 0.5),  # from the left of the name
            },
        )


def spread_apart(wanted: Sequence[float], space: float, low: float, high: float) -> list[float]:
    """Rising heights at least `space` apart, near those wanted, within limits if there is space.

    Examples
    --------
    >>> spread_apart([0.0, 0.5, 0.5], 0.25, 0.0, 1.0)
    [0.0, 0.375, 0.625]
    """
    groups: list[tuple[float, int]] = []  # middle and size of those that touch
    for height in wanted:
        middle, size = height, 1
        while groups and groups[-1][0] + (groups[-1][1] + size) * space / 2 > middle:
            before, count = groups.pop()
            middle = (before * count + middle * size) / (count + size)
            size += count
        groups.append((middle, size))
    heights = [
        middle + (at - (size - 1) / 2) * space for middle, size in groups for at in range(size)
    ]
    last = len(heights) - 1
    heights = [min(height, high - (last - at) * space) for at, height in enumerate(heights)]
    return [max(height, low + at * space) for at, height in enumerate(heights)]


def _height(auroc: float) -> float:
    """The distance of an AUROC from 1 as a power of ten."""
    return -math.log10(1 - min(auroc, HIGHEST))


def _short(condition: str) -> str:
    count = patients_in(condition)
    return "all" if math.isinf(count) else f"{count:.0f}"

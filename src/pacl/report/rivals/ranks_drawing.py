"""Average ranks on a line; bars join systems that do not differ (Demšar 2006)."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from pacl.evaluation import Ranks
from pacl.records import Rhythm
from pacl.report.style import INK, RHYTHM_COLOURS, new_figure
from pacl.studies.rivals import PROPOSED, STATISTICS, RivalsComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR = RHYTHM_COLOURS[Rhythm.SR]
STEP = 0.32
"""Inches between names."""
LINE = 4.2
"""Inches that the line of ranks takes."""
LETTER = 0.078
"""Inches that a letter of a name takes, with some space."""


def draw_ranks(ranks: Ranks, report: RivalsComparison) -> "Figure":
    """Draw the best at the left; names of the better half left, of the others right."""
    half = math.ceil(len(ranks.methods) / 2)
    names = 0.75 + LETTER * max(len(report.title(name)) for name in ranks.methods)
    width = LINE + 2 * names
    leveled = _leveled(ranks)
    bars = 0.14 * max((level + 1 for level, _ in leveled), default=0) + 0.22
    below = bars + STEP * half
    height = below + 0.95
    with new_figure(width, height, None) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(-below, height - below))
        axes.axis("off")
        first, last = 1.0, float(len(ranks.methods))
        scale = LINE / (last - first)

        def at(rank: float) -> float:
            return names + (rank - first) * scale

        _draw_line(axes, at, first, last, ranks)
        for place, (name, rank) in enumerate(zip(ranks.methods, ranks.average, strict=True)):
            left = place < half
            row = place if left else len(ranks.methods) - 1 - place
            down = -bars - STEP * (row + 0.4)
            edge = names - 0.25 if left else width - names + 0.25
            strong = name in (PROPOSED, STATISTICS)
            axes.plot([at(rank), at(rank), edge], [0, down, down], color="#777777", lw=0.8)
            axes.plot(at(rank), 0, "o", ms=3.5, color=INK, zorder=4)
            axes.text(
                edge - 0.07 if left else edge + 0.07,
                down,
                f"{report.title(name)}  {rank:.2f}"
                if left
                else f"{rank:.2f}  {report.title(name)}",
                ha="right" if left else "left",
                va="center",
                fontweight="bold" if strong else "normal",
            )
        for level, (start, end) in leveled:
            y = -0.14 * (level + 1)
            ends = (at(ranks.average[start]) - 0.05, at(ranks.average[end]) + 0.05)
            axes.plot(ends, (y, y), color=BAR, lw=3.2, solid_capstyle="round", zorder=3)
    return figure


def _draw_line(
    axes: "Axes", at: Callable[[float], float], first: float, last: float, ranks: Ranks
) -> None:
    axes.plot((at(first), at(last)), (0, 0), color=INK, lw=1)
    for tick in range(1, len(ranks.methods) + 1):
        x = at(float(tick))
        axes.plot((x, x), (0, 0.07), color=INK, lw=1)
        axes.text(x, 0.13, str(tick), ha="center", va="bottom", fontsize=8)
    reach = min(at(first + ranks.critical), at(last))
    axes.plot((at(first), reach), (0.42, 0.42), color=INK, lw=1.4)
    for x in (at(first), reach):
        axes.plot((x, x), (0.37, 0.47), color=INK, lw=1.4)
    axes.text(
        at(first),
        0.6,
        f"average rank over {ranks.subjects} patients, 1 is best; "
        f"critical difference {ranks.critical:.2f}",
        va="bottom",
        fontsize=8,
    )


def _leveled(ranks: Ranks) -> list[tuple[int, tuple[int, int]]]:
    """Bars with the line that each is drawn on: the first where it covers no other."""
    free: list[float] = []
    found = []
    for start, end in ranks.alike:
        low, high = ranks.average[start], ranks.average[end]
        level = next((at for at, until in enumerate(free) if until < low - 0.15), len(free))
        free[level : level + 1] = [high]
        found.append((level, (start, end)))
    return found

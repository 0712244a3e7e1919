"""Names beside points that cover neither each other nor a point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float64

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REACHES = (5.0, 11.0, 18.0, 26.0, 36.0, 48.0, 62.0)
"""Distances from its point, in points of type, at which a name is tried; the nearest first."""
TURNS = (45, 315, 135, 225, 0, 180, 270, 90)
POINT = 3.0
"""Half the width of a point."""
GAP = 2.0
"""Least space between two names."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top."""


def label_points(
    axes: "Axes",
    points: Sequence[tuple[float, float, str]],
    avoid: Float64[Array, "point 2"],
    **style: Any,
) -> None:
    """Write a name beside each point, where it is free; the axes must have their final position.

    Where no place is free the one that covers least is taken. A name that is not right beside its
    point is joined to it by a line.
    """
    from matplotlib.lines import Line2D

    scale = axes.figure.dpi / 72
    inside = _box(*(edge / scale for edge in axes.get_window_extent().extents))
    at = axes.transData.transform(avoid) / scale
    covered = [_box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in at]
    for x, y, name in points:
        text = axes.annotate(name, (x, y), (0, 0), textcoords="offset points", **style)
        extent = text.get_window_extent()
        here_x, here_y = axes.transData.transform((x, y)) / scale
        size = (extent.width / scale, extent.height / scale)
        (across, up), box = free_place((here_x, here_y), size, inside, covered)
        covered.append(_box(box[0] - GAP, box[1] - GAP, box[2] + GAP, box[3] + GAP))
        text.set_position((box[0] - here_x, box[1] - here_y))
        if np.hypot(across, up) > REACHES[0] + 1:
            end = axes.transData.inverted().transform(
                ((here_x + across) * scale, (here_y + up) * scale)
            )
            axes.add_artist(Line2D([x, end[0]], [y, end[1]], color="#777777", lw=0.5, zorder=1))


def free_place(
    at: tuple[float, float], size: tuple[float, float], inside: Box, covered: Sequence[Box]
) -> tuple[tuple[float, float], Box]:
    """The offset from a point where a box is free, and the box; else where it covers least."""
    tried: list[tuple[float, int, tuple[float, float], Box]] = []
    for reach in REACHES:
        for turn in np.deg2rad(TURNS):
            across, up = float(reach * np.cos(turn)), float(reach * np.sin(turn))
            left = at[0] + across - size[0] * _behind(across)
            bottom = at[1] + up - size[1] * _behind(up)
            box = _box(left, bottom, left + size[0], bottom + size[1])
            outside = size[0] * size[1] - _shared(box, inside)
            cost = 10 * outside + sum(_shared(box, other) for other in covered)
            if cost <= 1e-6:
                return (across, up), box
            tried.append((cost, len(tried), (across, up), box))
    _, _, offset, least = min(tried)
    return offset, least


def _behind(along: float) -> float:
    """The part of a box on the side of the point: none, half or all."""
    return 0.5 if abs(along) < 0.1 else 0.0 if along > 0 else 1.0


def _box(left: float, bottom: float, right: float, top: float) -> Box:
    return float(left), float(bottom), float(right), float(top)


def _shared(one: Box, other: Box) -> float:
    """Area that two boxes have in common."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(up, 0.0)

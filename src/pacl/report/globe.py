"""Embeddings on a globe: the three directions that hold most of them, and its lines."""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float, Float64, Int64

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TILT = np.deg2rad(12)
"""The globe leans towards the viewer, so that it looks like one."""


@dataclass(frozen=True, eq=False, slots=True)
class Globe:
    """Points of length 1: x to the right, y upwards, z towards the viewer.

    `share` is the part of the embeddings' squared length that the three directions hold: 1 where
    nothing was lost. `kept` is the same for each point, before it was put back on the sphere.
    """

    points: Float64[Array, "window 3"]
    kept: Float64[Array, "window"]
    share: float


def project_globe(
    embedded: Float[Array, "window feature"], labels: Int64[Array, "window"]
) -> Globe:
    """Project unit vectors onto the three directions that hold most of their squared length.

    The directions are the first right singular vectors of the windows, which are not centred:
    the sphere keeps its centre, and an angle within the three directions keeps its size. Points
    are then put back on the sphere. The globe is turned, mirrored if need be, so that the mean
    directions of two classes are on its equator, equally near: the first class on the left and the
    second on the right, or the two of more that are furthest apart.
    """
    values = embedded.astype(np.float64)
    _, _, directions = np.linalg.svd(values, full_matrices=False)
    flat = np.zeros((len(values), 3))
    inside = values @ directions[:3].T
    flat[:, : inside.shape[1]] = inside
    kept = np.sum(flat**2, axis=1)
    length = np.sqrt(kept)[:, None]
    points = np.divide(flat, length, out=np.zeros_like(flat), where=length > 1e-9)
    points[length[:, 0] <= 1e-9] = (0.0, 0.0, 1.0)
    return Globe(
        points=points @ _view(points, labels).T,
        kept=kept,
        share=float(kept.sum() / np.sum(values**2)),
    )


def _view(
    points: Float64[Array, "window 3"], labels: Int64[Array, "window"]
) -> Float64[Array, "3 3"]:
    """Rows: the directions to the right, up, and towards the viewer."""
    left, right_hand = _two_classes(points, labels)
    axes: list[Float64[Array, "3"]] = []
    # The line between both, then their middle; the directions themselves where these are nothing.
    for wanted in (right_hand - left, left + right_hand, *np.eye(3)):
        rest = wanted - sum((wanted @ axis) * axis for axis in axes)
        size = np.linalg.norm(rest)
        if size > 1e-3 and len(axes) < 2:
            axes.append(rest / size)
    right, towards = axes
    up = np.cross(towards, right)
    # Both means are on the equator; up is the side with the windows furthest from it.
    return np.stack([right, up if np.sum((points @ up) ** 3) >= 0 else -up, towards])


def _two_classes(
    points: Float64[Array, "window 3"], labels: Int64[Array, "window"]
) -> tuple[Float64[Array, "3"], Float64[Array, "3"]]:
    """Mean directions of the first two classes, or of the two of more that are furthest apart."""
    found = []
    for number in range(max(2, int(labels.max(initial=0)) + 1)):
        own = labels == number
        mean = points[own].mean(axis=0) if np.any(own) else np.zeros(3)
        found.append(mean / max(float(np.linalg.norm(mean)), 1e-12))
    if len(found) == 2:
        return found[0], found[1]
    return max(combinations(found, 2), key=lambda pair: float(np.linalg.norm(pair[0] - pair[1])))


def lean(points: Float64[Array, "point 3"]) -> Float64[Array, "point 3"]:
    """Turn the globe so that its north leans towards the viewer."""
    cos, sin = np.cos(TILT), np.sin(TILT)
    turned: Float64[Array, "point 3"] = points @ np.array(
        [[1, 0, 0], [0, cos, sin], [0, -sin, cos]]
    )
    return turned


def draw_graticule(axes: "Axes") -> None:
    """Lines of latitude and longitude and the outline, on axes without a frame."""
    turn = np.linspace(0, 2 * np.pi, 181)
    for latitude in np.deg2rad([-60, -30, 0, 30, 60]):
        level = np.full(turn.size, np.tan(latitude))
        circle = np.stack([np.sin(turn), level, np.cos(turn)], axis=1)
        _draw_line(axes, np.cos(latitude) * circle)
    for longitude in np.deg2rad(np.arange(0, 180, 30)):
        spoke = np.array([np.sin(longitude), 0, np.cos(longitude)])
        _draw_line(axes, np.outer(np.cos(turn), spoke) + np.outer(np.sin(turn), [0, 1, 0]))
    axes.plot(np.cos(turn), np.sin(turn), color="#777777", lw=0.8, zorder=2)
    axes.set(xlim=(-1.04, 1.04), ylim=(-1.04, 1.04), aspect="equal")
    axes.axis("off")


def _draw_line(axes: "Axes", line: Float64[Array, "point 3"]) -> None:
    x, y, z = lean(line).T
    for side, colour, style in ((z >= 0, "#D4D4D4", "-"), (z < 0, "#EAEAEA", ":")):
        axes.plot(x, np.where(side, y, np.nan), color=colour, lw=0.5, ls=style, zorder=0)

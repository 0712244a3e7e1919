"""The quadratic spline through the beats of each window: their intervals as a curve in time.

Knots lie half way between beats, but for the first and the last such place, so that each beat has a
parabola of its own and those at the ends reach to the first and the last beat. With s the slope of
the line from a beat to the next and h the time between them, neighbouring parabolas meet with one
value and one slope where their bends c keep

    h[i-1] c[i-1] + 3 (h[i-1] + h[i]) c[i] + h[i] c[i+1] = 4 (s[i] - s[i-1]),

one tridiagonal system a window. It is the curve that scipy's `interp1d(kind="quadratic")` draws.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_banded

from pacl.axes import Array, Float64


@dataclass(frozen=True, slots=True)
class Spline:
    """Parabolas about beats: value + slope (t - at) + bend (t - at)^2, from knot to knot."""

    at: Float64[Array, "window piece"]
    value: Float64[Array, "window piece"]
    slope: Float64[Array, "window piece"]
    bend: Float64[Array, "window piece"]
    knot: Float64[Array, "window knot"]
    """Where each parabola but the last gives way to the next."""


def draw_spline(at: Float64[Array, "window beat"], value: Float64[Array, "window beat"]) -> Spline:
    """Draw the spline through each window's beats, of which there are at least five.

    Examples
    --------
    >>> at = np.array([[0.0, 1.0, 2.5, 3.0, 4.0]])
    >>> spline = draw_spline(at, at**2)
    >>> spline.bend.round(12), spline.slope.round(12)
    (array([[1., 1., 1.]]), array([[2., 5., 6.]]))
    """
    gap = np.diff(at, axis=1)
    line = np.diff(value, axis=1) / gap
    left, right = gap[:, :-1].copy(), gap[:, 1:].copy()
    middle = 3 * (left + right)
    middle[:, 0] += left[:, 0]
    middle[:, -1] += right[:, -1]
    # All windows in one system: a window's ends do not see the next one.
    left[:, 0] = right[:, -1] = 0.0
    bands = np.stack([np.roll(right.ravel(), 1), middle.ravel(), np.roll(left.ravel(), -1)])
    bend = solve_banded(
        (1, 1), bands, 4 * np.diff(line, axis=1).ravel(), overwrite_ab=True, check_finite=False
    ).reshape(middle.shape)
    ahead = np.concatenate([bend[:, 1:], bend[:, -1:]], axis=1)
    slope = line[:, 1:] - gap[:, 1:] * (3 * bend + ahead) / 4
    return Spline(at[:, 1:-1], value[:, 1:-1], slope, bend, (at[:, 1:-2] + at[:, 2:-1]) / 2)

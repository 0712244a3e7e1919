"""Geometry of the histogram of intervals: triangular index, width of the fitted triangle.

After the Task Force (1996), with bins of 1/128 s. Equal to NeuroKit2, which does not search for the
left foot of the triangle but puts it at the first edge above the shortest interval. Of right feet
that fit equally well NeuroKit2 takes the one that rounding favours, we the first: in about one
window of a thousand the widths differ by one or a few bins.
"""

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.features.numeric import over

TRIANGLE_NAMES = ("HTI", "TINN")

BIN_MS = 1000 / 128
"""Exact in binary, so that the bin of a beat never depends on rounding."""

WORST = 2.0**14
"""Largest accepted sum of squared errors: the one NeuroKit2 starts its search with."""


def triangle_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 2"]:
    """Beats over the height of the histogram, and the width in ms of the triangle fitted to it.

    The width is 0 where no triangle fits, as with equal beats.
    """
    column = np.floor(rr_ms / BIN_MS).astype(np.int64)
    left = column.min(axis=1) + 1
    last = np.ceil(rr_ms.max(axis=1) / BIN_MS).astype(np.int64) - 1
    # Bins are numbered from the first that has a beat; the last bin has both its edges.
    first = np.minimum(left - 1, last)
    column = np.minimum(column, last[:, None]) - first[:, None]
    left, last = left - first, last - first
    count = _counts(column, int(last.max()) + 1)
    return np.column_stack([rr_ms.shape[1] / count.max(axis=1), _width_ms(count, left, last)])


def _counts(column: Int64[Array, "window beat"], columns: int) -> Int64[Array, "window column"]:
    cell = np.arange(len(column))[:, None] * columns + column
    return np.bincount(cell.ravel(), minlength=len(column) * columns).reshape(-1, columns)


def _width_ms(
    count: Int64[Array, "window column"], left: Int64[Array, "window"], last: Int64[Array, "window"]
) -> Float64[Array, "window"]:
    """From the left foot to the right one that fits best, of those up to the last bin."""
    at = np.arange(count.shape[1])
    top = count.argmax(axis=1)[:, None]
    height = count.max(axis=1)[:, None]
    before = np.minimum(left, count.shape[1])[:, None] - 1
    rise = top - left[:, None]
    # Sums of y, y^2 and y times its place up to each bin: the squares that any line misses by
    # follow from them.
    ones, squares, moments = (
        np.cumsum(values, axis=1) for values in (count, np.square(count), count * at)
    )
    rising = _part(moments, before, top) - left[:, None] * _part(ones, before, top)
    below = ones - _part(ones, None, top)
    # There is no foot at the top or before it; what is found there is not looked at.
    fall = np.maximum(at - top, 1)
    falling = below - (moments - _part(moments, None, top) - top * below) / fall
    # Both sides end at the top, where nothing is missed; it counts once.
    line = _squares(rise) + _squares(fall) - 1
    missed = squares - np.take_along_axis(squares, before, axis=1)
    missed = missed - 2 * height * (over(rising, rise) + falling) + np.square(height) * line
    fits = (rise > 0) & (at > top) & (at <= last[:, None]) & (missed < WORST)
    # Of feet that fit alike the first is taken, not the one that rounding favours.
    best = np.where(fits, np.round(missed, 6), np.inf).argmin(axis=1)
    return np.where(fits.any(axis=1), (best - left) * BIN_MS, 0.0)


def _part(
    sums: Int64[Array, "window column"],
    before: Int64[Array, "window 1"] | None,
    to: Int64[Array, "window 1"],
) -> Int64[Array, "window 1"]:
    """What the bins after `before` up to `to` sum to."""
    whole = np.take_along_axis(sums, to, axis=1)
    return whole if before is None else whole - np.take_along_axis(sums, before, axis=1)


def _squares(steps: Int64[Array, "window column"]) -> Float64[Array, "window column"]:
    """Sum of (j / steps)^2 over j from 0 to `steps`."""
    return over((steps + 1) * (2 * steps + 1), 6 * steps)

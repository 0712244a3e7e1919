"""How many stretches of a window are similar: the counts behind the entropies."""

import numpy as np

from pacl.axes import Array, Float64, Int64


def count_neighbours(
    rr_ms: Float64[Array, "window beat"], tolerance_ms: Float64[Array, "window"], length: int
) -> tuple[Int64[Array, "window stretch"], Int64[Array, "window longer"]]:
    """Neighbours of each stretch of `length` beats, and of each that is one beat longer.

    Two stretches are neighbours if no beat of one is further than `tolerance_ms` from the beat in
    its place in the other. A stretch is not its own neighbour.

    Examples
    --------
    >>> one, two = count_neighbours(np.array([[1.0, 9.0, 1.0, 9.0, 5.0]]), np.array([0.5]), 1)
    >>> one.tolist(), two.tolist()
    ([[1, 1, 1, 1, 0]], [[1, 0, 1, 0]])
    """
    windows, beats = rr_ms.shape
    # Windows side by side: what is a given number of beats apart is then one block of memory.
    by_beat, tolerance = _shortened(np.ascontiguousarray(rr_ms.T), tolerance_ms)
    # No stretch has as many neighbours as there are beats: the least type that holds them is quick.
    counts = [
        np.zeros((beats - more + 1, windows), dtype=np.min_scalar_type(beats))
        for more in (length, length + 1)
    ]
    apart = np.empty_like(by_beat)
    for lag in range(1, beats - length + 1):
        part = apart[: beats - lag]
        np.subtract(by_beat[lag:], by_beat[:-lag], out=part)
        np.abs(part, out=part)
        near = part <= tolerance
        alike = near
        for more in range(1, length):
            alike = alike[:-1] & near[more:]
        _add(counts[0], alike.view(np.uint8), lag)
        if alike.shape[0] > 1:
            _add(counts[1], (alike[:-1] & near[length:]).view(np.uint8), lag)
    few, fewer = (np.ascontiguousarray(count.T, dtype=np.int64) for count in counts)
    return few, fewer


def _shortened(
    by_beat: Float64[Array, "beat window"], tolerance_ms: Float64[Array, "window"]
) -> tuple[Array, Array]:
    """Intervals and tolerances in half the memory, where that changes no comparison.

    Two intervals in single precision that differ by no more than the shorter one differ by a number
    in single precision. So where no tolerance reaches the shortest interval, differences up to it
    are exact, and larger ones stay larger.
    """
    single = by_beat.astype(np.float32)
    limit = tolerance_ms.astype(np.float32)
    above = limit > tolerance_ms  # the next lower number lets the same differences pass
    limit[above] = np.nextafter(limit[above], np.float32(0))
    if (single == by_beat).all() and (limit < single.min(axis=0)).all():
        return single, limit
    return by_beat, tolerance_ms


def _add(count: Array, alike: Array, lag: int) -> None:
    """Both of a pair are the other's neighbour."""
    count[: alike.shape[0]] += alike
    count[lag : lag + alike.shape[0]] += alike

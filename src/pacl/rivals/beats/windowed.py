"""Statistics of all windows of a stretch at once, and the window of each beat."""

import numpy as np

from pacl.axes import Array, Float64, Int64


def centred(of_window: Float64[Array, "window"], beats: int) -> Float64[Array, "beat"]:
    """For each beat, the value of the window around it; near the ends, of the first or last one.

    Windows begin one beat after the other. With an even number of beats in a window, one more of
    them lies before the beat than after it.

    Examples
    --------
    >>> centred(np.array([10.0, 20.0]), 5)  # two windows of four beats
    array([10., 10., 10., 20., 20.])
    """
    window_beats = beats - of_window.size + 1
    place = np.arange(beats) - window_beats // 2
    found: Float64[Array, "beat"] = of_window[np.clip(place, 0, of_window.size - 1)]
    return found


def sum_over_counts(
    code: Int64[Array, "item"], value: Float64[Array, "count"]
) -> Float64[Array, "window"]:
    """Sum of `value[count]` over the distinct codes of each window of `len(value) - 1` items.

    `value[0]` is of codes that are not there, and is 0. The item that is the k-th of its code in a
    window adds `value[k] - value[k - 1]`. It is the k-th in the windows that begin after the item
    of the same code k places before it, so that each k is one pass over all items.

    Examples
    --------
    >>> sum_over_counts(np.array([7, 7, 8, 9]), np.array([0.0, 1.0, 1.0, 1.0]))  # how many differ
    array([2., 3.])
    """
    size = value.size - 1
    order = np.argsort(code, kind="stable")
    same = code[order]
    steps = np.diff(value)
    change = np.zeros(code.size + 1)
    newest = order  # where windows may begin at the latest for an item to be its code's k-th
    for k in range(1, size + 1):
        older = np.full(code.size, -1)
        older[k:] = np.where(same[k:] == same[:-k], order[:-k], -1)
        begins = np.maximum(older, order - size) + 1
        there = newest >= begins
        if not there.any():
            break
        change += steps[k - 1] * (
            np.bincount(begins[there], minlength=change.size)
            - np.bincount(newest[there] + 1, minlength=change.size)
        )
        newest = older
    return np.cumsum(change)[: code.size - size + 1]

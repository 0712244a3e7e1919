"""Steps of 50 beats: which windows speak of each, and which windows are fit to be judged.

```
kept beats   |--50--|--50--|--50--|--50--|--50--| ...
window 0     |------------ 200 ----------|              look-ahead: a step is judged by the mean of
window 1            |------------ 200 ----------|       all windows that hold it;
step            0      1      2      3      4           causal: by the window that ends with it
```
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Int64
from pacl.windows import gather
from pacl.windows.plausible import is_implausible

STRIDE = 50
MOST_DROPPED = 0.2
"""A window that had to leave out more beats, as a share of those it keeps, is not judged."""

REPEATED = tuple(range(2, 11))
"""How often a device may send each beat without its windows being judged."""

WITHIN, BETWEEN = 0.95, 0.5
"""A device repeats each beat where, of the neighbours that would be one beat, at least so many are
equal, and of the others fewer than that: a steady rhythm has both alike, however coarse."""


@dataclass(frozen=True, eq=False, slots=True)
class StretchWindows:
    """Windows of a stretch without a gap.

    Parameters
    ----------
    kept
        Which beats of the stretch are plausible; only they are in windows.
    first, last
        Each window's first and last beat in the stretch.
    rr_ms
        The intervals of each window.
    fit
        Which windows can be judged.
    sparse
        Which windows had to leave out too many beats to be judged.
    """

    kept: Int64[Array, "kept"]
    first: Int64[Array, "window"]
    last: Int64[Array, "window"]
    rr_ms: Float32[Array, "window beat"]
    fit: Bool[Array, "window"]
    sparse: Bool[Array, "window"]


def cut_stretch(rr_ms: Array, window_beats: int) -> StretchWindows:
    """Cut a stretch into windows, and say which of them are fit."""
    kept = np.flatnonzero(~is_implausible(rr_ms))
    starts = window_starts(kept.size, window_beats)
    first, last = kept[starts], kept[starts + window_beats - 1]
    if starts.size:
        windows = gather(rr_ms[kept].astype(np.float32), starts, window_beats)
    else:
        windows = np.empty((0, window_beats), np.float32)
    spanned = last - first + 1
    return StretchWindows(
        kept, first, last, windows, is_fit(windows, spanned), is_sparse(spanned, window_beats)
    )


def window_starts(beats: int, window_beats: int) -> Int64[Array, "window"]:
    """Where windows begin in so many kept beats."""
    return np.arange(0, beats - window_beats + 1, STRIDE)


def is_sparse(spanned: Int64[Array, "window"], window_beats: int) -> Bool[Array, "window"]:
    """Which windows span so many beats that too many of them had to be left out."""
    found: Bool[Array, "window"] = spanned - window_beats > MOST_DROPPED * window_beats
    return found


def is_fit(
    rr_ms: Float32[Array, "window beat"], spanned: Int64[Array, "window"]
) -> Bool[Array, "window"]:
    """Which windows can be judged: not too many beats were left out, and none is sent again.

    `spanned` is how many beats of the recording, left out or kept, lie from a window's first to
    its last. Two hundred equal intervals are a device that repeats itself, or a test signal; so
    are intervals of which each comes two to ten times.
    """
    found: Bool[Array, "window"] = ~is_repeating(rr_ms) & ~is_sparse(spanned, rr_ms.shape[1])
    return found


def is_repeating(rr_ms: Float32[Array, "window beat"]) -> Bool[Array, "window"]:
    """Which windows are of one interval alone, or of intervals that each come two to ten times."""
    equal = rr_ms[:, 1:] == rr_ms[:, :-1]
    found: Bool[Array, "window"] = equal.all(axis=1)
    some = np.flatnonzero(~found & (equal.mean(axis=1) > WITHIN / 3))
    if some.size:
        found[some] = _is_repeated(equal[some])
    return found


def _is_repeated(equal: Bool[Array, "window pair"]) -> Bool[Array, "window"]:
    """Whether each beat is there two to ten times, wherever the first of them begins."""
    found = np.zeros(len(equal), dtype=np.bool_)
    for times in REPEATED:
        for first in range(times):
            begins = np.arange(equal.shape[1]) % times == first
            within, between = equal[:, ~begins].mean(axis=1), equal[:, begins].mean(axis=1)
            found |= (within >= WITHIN) & (between < BETWEEN)
    return found


def step_logits(
    logits: Float64[Array, "window"], fit: Bool[Array, "window"], window_beats: int
) -> Float64[Array, "step"]:
    """The mean logit of all fit windows that hold a step; NaN where there is none."""
    held = window_beats // STRIDE
    steps = np.arange(logits.size + held - 1)
    low, high = np.clip(steps - held + 1, 0, logits.size), np.clip(steps + 1, 0, logits.size)
    total = np.append(0.0, np.cumsum(np.where(fit, logits, 0.0)))
    count = np.append(0, np.cumsum(fit))
    with np.errstate(invalid="ignore"):
        mean: Float64[Array, "step"] = (total[high] - total[low]) / (count[high] - count[low])
    return mean

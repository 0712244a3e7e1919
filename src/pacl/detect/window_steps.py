"""Steps of 50 beats: which windows hold each step, and which windows can be judged.

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
from pacl.detect.not_judged import MOST_DROPPED
from pacl.detect.quality import is_repeating
from pacl.rr import gather, is_implausible

STRIDE_BEATS = 50


@dataclass(frozen=True, eq=False, slots=True)
class StretchWindows:
    """Windows of a stretch without a gap.

    Parameters
    ----------
    kept
        The plausible beats of the stretch; only they are in windows.
    first, last
        Each window's first and last beat in the stretch.
    fit, sparse
        Which windows can be judged, and which left out too many beats.
    """

    kept: Int64[Array, "kept"]
    first: Int64[Array, "window"]
    last: Int64[Array, "window"]
    rr_ms: Float32[Array, "window beat"]
    fit: Bool[Array, "window"]
    sparse: Bool[Array, "window"]


def cut_stretch(rr_ms: Array, window_beats: int) -> StretchWindows:
    """Cut a stretch into windows, and find those that can be judged."""
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
    """Where windows begin in a number of kept beats."""
    return np.arange(0, beats - window_beats + 1, STRIDE_BEATS)


def is_sparse(spanned: Int64[Array, "window"], window_beats: int) -> Bool[Array, "window"]:
    """Which windows leave out too many implausible beats."""
    found: Bool[Array, "window"] = spanned - window_beats > MOST_DROPPED * window_beats
    return found


def is_fit(
    rr_ms: Float32[Array, "window beat"], spanned: Int64[Array, "window"]
) -> Bool[Array, "window"]:
    """Which windows can be judged: few beats were left out, and the signal does not repeat itself.

    `spanned` counts the beats of the recording from a window's first to its last, with those that
    were left out. 200 equal intervals, or intervals that each occur two to ten times, come from a
    device that repeats itself, or are a test signal.
    """
    found: Bool[Array, "window"] = ~is_repeating(rr_ms) & ~is_sparse(spanned, rr_ms.shape[1])
    return found


def step_logits(
    logits: Float64[Array, "window"], fit: Bool[Array, "window"], window_beats: int
) -> Float64[Array, "step"]:
    """The mean logit of all fit windows that hold a step; NaN where there is none."""
    held = window_beats // STRIDE_BEATS
    steps = np.arange(logits.size + held - 1)
    low, high = np.clip(steps - held + 1, 0, logits.size), np.clip(steps + 1, 0, logits.size)
    total = np.append(0.0, np.cumsum(np.where(fit, logits, 0.0)))
    count = np.append(0, np.cumsum(fit))
    with np.errstate(invalid="ignore"):
        mean: Float64[Array, "step"] = (total[high] - total[low]) / (count[high] - count[low])
    return mean

"""Steps of 50 beats: which windows speak of each, and which windows are fit to be judged.

```
kept beats   |--50--|--50--|--50--|--50--|--50--| ...
window 0     |------------ 200 ----------|              look-ahead: a step is judged by the mean of
window 1            |------------ 200 ----------|       all windows that hold it;
step            0      1      2      3      4           causal: by the window that ends with it
```
"""

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Int64

STRIDE = 50
MOST_DROPPED = 0.2
"""A window that had to leave out more beats, as a share of those it keeps, is not judged."""


def window_starts(beats: int, window_beats: int) -> Int64[Array, "window"]:
    """Where windows begin in so many kept beats."""
    return np.arange(0, beats - window_beats + 1, STRIDE)


def is_fit(
    rr_ms: Float32[Array, "window beat"], spanned: Int64[Array, "window"]
) -> Bool[Array, "window"]:
    """Which windows can be judged: not too many beats were left out, and not all are the same.

    `spanned` is how many beats of the recording, left out or kept, lie from a window's first to
    its last. Two hundred equal intervals are a device that repeats itself, or a test signal.
    """
    beats = rr_ms.shape[1]
    varies = (rr_ms != rr_ms[:, :1]).any(axis=1)
    found: Bool[Array, "window"] = varies & (spanned - beats <= MOST_DROPPED * beats)
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

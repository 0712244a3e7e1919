"""What systems read of windows: the signal, its log envelope, or features; in each subject's scale.

```
windows --+-- (log envelope) --+                                  networks
          |                    +-- (standardised by subject) --
          +-- features --------+                                  classical systems
```
"""

from dataclasses import replace

import numpy as np

from pacl.axes import Array, Float32, Int
from pacl.settings import InputSettings
from pacl.systems.features import time_domain_features
from pacl.systems.system import Reads
from pacl.windows import WindowSet, WindowSetError

QUIET = 0.05
"""Added before the logarithm of an envelope; windows are expected to be scaled to about 1."""
AT_ONCE = 2**22
"""Samples that are looked at at once."""


def as_read(windows: WindowSet, reads: Reads, settings: InputSettings) -> WindowSet:
    """The windows as a system reads them.

    Standardising by subject uses all windows of a subject and no label, also of new subjects.
    """
    x = windows.take()
    if reads == "features":
        x = time_domain_features(x)
    elif settings.envelope:
        x = log_envelope(x, settings.envelope, settings.frame_step)
    if settings.personal:
        over = (0,) if reads == "features" else (0, 2)
        x = by_subject(x, windows.table.subject.codes, over)
    return with_values(windows, x)


def with_values(windows: WindowSet, x: Float32[Array, "window channel time"]) -> WindowSet:
    """The same windows with other values."""
    return replace(windows, x=np.ascontiguousarray(x), at=np.arange(len(x)))


def log_envelope(
    x: Float32[Array, "window channel time"], frame: int, step: int
) -> Float32[Array, "window double_channel frame"]:
    """The log RMS of each channel in frames, then the log RMS of the steps between its samples.

    Parameters
    ----------
    frame, step
        Samples of a frame, and between the starts of two.

    Examples
    --------
    >>> log_envelope(np.ones((2, 8, 160), np.float32), 20, 4).shape
    (2, 16, 36)
    """
    if frame > x.shape[2]:
        raise WindowSetError(
            "envelope",
            f"frames of {frame} samples, windows have {x.shape[2]}",
            "choose shorter frames",
        )
    starts = np.arange(0, x.shape[2] - frame + 1, step)
    found = np.empty((len(x), 2 * x.shape[1], starts.size), np.float32)
    size = max(1, AT_ONCE // (x.shape[1] * x.shape[2]))
    for low in range(0, len(x), size):
        some = x[low : low + size].astype(np.float64)
        steps = np.diff(some, axis=2, prepend=some[..., :1])
        both = np.concatenate([some, steps], axis=1) ** 2
        total = np.cumsum(np.pad(both, ((0, 0), (0, 0), (1, 0))), axis=2)
        mean = (total[..., starts + frame] - total[..., starts]) / frame
        found[low : low + size] = np.log(np.sqrt(np.maximum(mean, 0)) + QUIET)
    return found


def by_subject(
    x: Float32[Array, "window channel time"], subject: Int[Array, "window"], over: tuple[int, ...]
) -> Float32[Array, "window channel time"]:
    """Values with mean 0 and standard deviation 1 over all windows of each subject.

    `over` are the axes of the mean: windows (0), or windows and time (0, 2).
    """
    found = np.empty_like(x)
    for code in np.unique(subject):
        own = x[subject == code].astype(np.float64)
        spread = own.std(axis=over, keepdims=True)
        centre = own.mean(axis=over, keepdims=True)
        found[subject == code] = (own - centre) / np.where(spread > 0, spread, 1)
    return found

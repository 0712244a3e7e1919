"""A few windows at a time, so that what is made for them stays near the processor."""

from collections.abc import Callable

import numpy as np

from pacl.axes import Array, Float64


def in_batches(
    features: Callable[[Float64[Array, "window beat"]], Float64[Array, "window feature"]],
    rr_ms: Float64[Array, "window beat"],
    beats: int,
) -> Float64[Array, "window feature"]:
    """Features of each window, of about so many beats at a time.

    Examples
    --------
    >>> in_batches(lambda rr_ms: rr_ms[:, :2], np.ones((7, 50)), 100).shape
    (7, 2)
    """
    batch = max(beats // rr_ms.shape[1], 1)
    starts = range(0, max(len(rr_ms), 1), batch)
    return np.concatenate([features(rr_ms[start : start + batch]) for start in starts])

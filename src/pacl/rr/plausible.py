"""Intervals that cannot be single heart beats: dropped, kept or interpolated (2.1)."""

from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, Float32, Real
from pacl.records import GAP_MS, PLAUSIBLE_MS

USUAL_MS = 800.0
"""A usual interval: used for absent beats, and as the unit of the networks' input."""

Implausible = Literal["drop", "keep", "interpolate"]
"""What happens to an implausible beat. A gap is always left out, and no window crosses it."""


def is_implausible(rr_ms: Real[Array, "beat"]) -> Bool[Array, "beat"]:
    """Which intervals are outside `PLAUSIBLE_MS`."""
    low, high = PLAUSIBLE_MS
    return (rr_ms < low) | (rr_ms > high)


def is_kept(rr_ms: Real[Array, "beat"], policy: Implausible) -> Bool[Array, "beat"]:
    """Which beats may be part of a window."""
    return ~is_implausible(rr_ms) if policy == "drop" else rr_ms <= GAP_MS


def cleaned(rr_ms: Real[Array, "beat"], policy: Implausible) -> Float32[Array, "beat"]:
    """The intervals as float32, with implausible ones interpolated with that policy."""
    values = rr_ms.astype(np.float32)
    if policy == "interpolate":
        bad = is_implausible(rr_ms)
        if bad.any() and not bad.all():
            at = np.arange(rr_ms.size)
            values[bad] = np.interp(at[bad], at[~bad], values[~bad])
    return values

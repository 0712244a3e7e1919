"""Robust scaling by a stretch known to be sinus rhythm, and windows scaled when taken (Eq. 4)."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Int64, Real


@dataclass(frozen=True, slots=True)
class Scale:
    """Scaling of beats: `(rr_ms - centre_ms) / scale_ms`."""

    centre_ms: float
    scale_ms: float

    @property
    def usable(self) -> bool:
        """Whether there is any spread to divide by."""
        return self.scale_ms > 0


IN_MS = Scale(0.0, 1.0)
"""No scaling: beats stay in ms."""


def fit_scale(rr_ms: Real[Array, "beat"]) -> Scale:
    """Median and interquartile range, the quartiles interpolated linearly.

    No beats at all give a scale that is not usable.
    """
    if not rr_ms.size:
        return Scale(0.0, 0.0)
    ranked = np.sort(rr_ms.astype(np.float64))
    at = np.array([0.25, 0.5, 0.75]) * (ranked.size - 1)
    below = np.floor(at).astype(np.int64)
    above = np.minimum(below + 1, ranked.size - 1)
    low, middle, high = ranked[below] + (at - below) * (ranked[above] - ranked[below])
    return Scale(float(middle), float(high - low))


def gather(
    rr_ms: Float32[Array, "beat"],
    start: Int64[Array, "window"],
    window_beats: int,
    centre_ms: Real[Array, "window"] | None = None,
    scale_ms: Real[Array, "window"] | None = None,
) -> Float32[Array, "window {window_beats}"]:
    """Take the windows that begin at `start`, scaled where a centre and a scale are given."""
    all_windows = np.lib.stride_tricks.sliding_window_view(rr_ms, window_beats)
    windows = all_windows[start].astype(np.float32, copy=False)
    if centre_ms is not None:
        windows -= centre_ms[:, None]
    if scale_ms is not None:
        windows /= scale_ms[:, None]
    return windows

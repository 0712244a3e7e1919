"""Windows out of beats that are stored once: taken and scaled when they are wanted (Eq. 4)."""

import numpy as np

from pacl.axes import Array, Float32, Int64, Real


def gather(
    rr_ms: Float32[Array, "beat"],
    start: Int64[Array, "window"],
    window_beats: int,
    centre_ms: Real[Array, "window"] | None = None,
    scale_ms: Real[Array, "window"] | None = None,
) -> Float32[Array, "window {window_beats}"]:
    """Take the windows that begin at `start`, scaled where a centre and a scale are given."""
    every = np.lib.stride_tricks.sliding_window_view(rr_ms, window_beats)
    windows = every[start].astype(np.float32, copy=False)
    if centre_ms is not None:
        windows -= centre_ms[:, None]
    if scale_ms is not None:
        windows /= scale_ms[:, None]
    return windows

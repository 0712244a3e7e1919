"""Robust scaling of a patient's beats by a stretch known to be sinus rhythm (Eq. 4)."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Real


@dataclass(frozen=True, slots=True)
class Scale:
    """What beats are scaled with: `(rr_ms - centre_ms) / scale_ms`."""

    centre_ms: float
    scale_ms: float

    @property
    def usable(self) -> bool:
        """Whether there is any spread to divide by."""
        return self.scale_ms > 0


IN_MS = Scale(0.0, 1.0)
"""Nobody's scale: beats stay in ms."""


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

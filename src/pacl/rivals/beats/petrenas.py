"""Irregularity of eight beats, with bigeminy suppressed (Petrenas et al. 2015).

A. Petrenas, V. Marozas, L. Sornmo: Low-complexity detection of atrial fibrillation in continuous
long-term monitoring. Computers in Biology and Medicine 65, 184-191, 2015.

```
r   -- median of 3 --> rm      r -- average --> rt                    intervals in seconds
M = share of the pairs of 8 intervals of rm that differ by 0.03 s or more -- average --> Mt
I = Mt / rt
B = (sum of 8 of rm / sum of 8 of r - 1)^2 -- average --> Bt
O = I where Bt is at least 0.0002, Bt elsewhere                       AF above 0.725
```

Averages are exponential with weight 0.02, forwards and then backwards, without delay. Not
published: the ends of a stretch. Here the median repeats the first and last interval, the first
beats use as many of the eight as there are, and an average starts with its first value.
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import median_filter
from scipy.signal import lfilter

from pacl.axes import Array, Float32, Float64
from pacl.rivals.beats.rival import checked

WINDOW_BEATS = 8
DIFFERENT_S = 0.03
WEIGHT = 0.02
BIGEMINY = 2e-4


@dataclass(frozen=True, slots=True)
class Petrenas:
    """Irregularity of eight beats over the mean interval; AF where O is above the threshold."""

    threshold: float = 0.725
    name: str = "Petrenas 2015"

    @property
    def least_beats(self) -> int:
        """One window."""
        return WINDOW_BEATS

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """The fused signal less its threshold."""
        return fused(checked(self, rr_ms) / 1000.0) - self.threshold


def fused(r: Float64[Array, "beat"]) -> Float64[Array, "beat"]:
    """O of every beat, from intervals in seconds."""
    rm: Float64[Array, "beat"] = median_filter(r, size=3, mode="nearest")
    irregular = averaged(differing_pairs(rm)) / averaged(r)
    ratio = _sum_of_window(rm) / _sum_of_window(r)
    bigeminy = averaged((ratio - 1.0) ** 2)
    return np.where(bigeminy >= BIGEMINY, irregular, bigeminy)


def differing_pairs(rm: Float64[Array, "beat"]) -> Float64[Array, "beat"]:
    """M: share of the pairs in the eight intervals up to a beat that differ by 0.03 s or more."""
    pairs = np.zeros(rm.size)
    for apart in range(1, WINDOW_BEATS):
        differ = np.zeros(rm.size)
        differ[apart:] = np.abs(rm[apart:] - rm[:-apart]) >= DIFFERENT_S
        total = np.append(np.zeros(WINDOW_BEATS - apart), np.cumsum(differ))
        pairs += total[WINDOW_BEATS - apart :] - total[: rm.size]
    return pairs * 2 / (WINDOW_BEATS * (WINDOW_BEATS - 1))


def averaged(x: Float64[Array, "beat"]) -> Float64[Array, "beat"]:
    """Exponential average, forwards and then backwards."""
    for _ in range(2):
        before = [(1.0 - WEIGHT) * x[0]]
        x = lfilter([WEIGHT], [1.0, WEIGHT - 1.0], x, zi=before)[0][::-1]
    return x


def _sum_of_window(x: Float64[Array, "beat"]) -> Float64[Array, "beat"]:
    """Sum of the eight values up to each one, or of fewer at the start."""
    total = np.append(np.zeros(WINDOW_BEATS), np.cumsum(x))
    found: Float64[Array, "beat"] = total[WINDOW_BEATS:] - total[: x.size]
    return found

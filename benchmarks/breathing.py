"""Made-up hearts in sinus rhythm that breathe, some as deeply as the young do, and some not at all.

Unlike the augmentation of training (`pacl.af.respiratory_arrhythmia`), each breath has its
own length and depth, the heart quickens faster than it slows, and the mean drifts.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64

DEPTHS = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2)
"""Half of what lies between the longest and the shortest interval of a breath, over the mean."""

HEARTS = 250
"""Of each depth."""

BEATS = 200


@dataclass(frozen=True)
class Hearts:
    """Windows, and how deeply each breathes."""

    rr_ms: Float32[Array, "window beat"]
    depth: Float64[Array, "window"]


def breathing_hearts(seed: int = 0) -> Hearts:
    """The same hearts for the same seed."""
    random = np.random.default_rng(seed)
    depth = np.repeat(DEPTHS, HEARTS)
    return Hearts(np.stack([_heart(random, each) for each in depth]), depth)


def _heart(random: np.random.Generator, depth: float) -> Float32[Array, "beat"]:
    mean_ms = random.uniform(550, 1200)
    noise = random.uniform(0.004, 0.02)
    drift = np.cumsum(random.normal(0, random.uniform(0, 0.002), BEATS))
    breath = _breaths(random, random.uniform(2.5, 10.0), BEATS * 1.3 * mean_ms / 1000)
    rr_ms, passed_s = np.empty(BEATS), 0.0
    for at in range(BEATS):
        rr_ms[at] = mean_ms * (
            1 + depth * breath(passed_s) + drift[at] - drift.mean() + random.normal(0, noise)
        )
        passed_s += rr_ms[at] / 1000
    return rr_ms.astype(np.float32)


def _breaths(random: np.random.Generator, length_s: float, total_s: float):
    """Height of the breath at a time: quicker up than down, no two breaths the same."""
    count = int(2 * total_s / length_s) + 2
    lengths = length_s * np.clip(random.normal(1, 0.1, count), 0.5, 1.5)
    heights = np.clip(random.normal(1, 0.15, count), 0.3, 1.7)
    starts = np.append(0.0, np.cumsum(lengths))[:-1] - random.uniform(0, length_s)
    skew = random.uniform(0, 0.5)

    def height(time_s: float) -> float:
        at = int(np.searchsorted(starts, time_s, side="right")) - 1
        phase = 2 * np.pi * (time_s - starts[at]) / lengths[at]
        return float(heights[at] * np.sin(phase + skew * np.sin(phase)))

    return height

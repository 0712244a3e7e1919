"""Where the beats of an ECG can be trusted: three measures of the beats around each beat.

- agreement: the share of beats that are also found in a higher frequency band;
- contrast: how far the QRS complexes stand above what lies between them;
- weakest: the smallest of the beats, compared with those around it.

In noise, a band finds beats that the other does not, the signal between beats rises, and false
beats are small. Their weighted sum tells sound stretches from others better than a limit for each.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.ecg.averages import NEIGHBOURS, Search, around

SECOND_BAND_HZ = (12.0, 28.0)
SAME_BEAT_S = 0.1
"""Beats of two finders closer than this are one."""

COMPLEX_S = 0.12
"""Before and after a beat, its QRS complex."""

HALF = NEIGHBOURS // 2
_TINY = np.finfo(np.float64).tiny

WEIGHTS = (11.0, 1.4, 3.4)
LIMIT = 9.0
"""Beats are trusted where the weighted sum of agreement, log contrast and log weakest is larger.
Chosen on eleven annotated ECGs with and without added noise, see docs/results/ecg.md."""


@dataclass(frozen=True, eq=False, slots=True)
class Measures:
    """One value of each measure for each beat, over the beats around it."""

    agreement: Float64[Array, "beat"]
    contrast: Float64[Array, "beat"]
    weakest: Float64[Array, "beat"]

    def trusted(self) -> Bool[Array, "beat"]:
        """Which beats can be trusted."""
        by_agreement, by_contrast, by_weakest = WEIGHTS
        score = (
            by_agreement * self.agreement
            + by_contrast * np.log(self.contrast)
            + by_weakest * np.log(self.weakest)
        )
        found: Bool[Array, "beat"] = score > LIMIT
        return found


def measure(first: Search, second: Int64[Array, "other"], fs_hz: float) -> Measures:
    """Compare beats with those of another finder or band, and with what lies between them."""
    sample, energy = first.peaks.sample, first.peaks.energy
    beats = np.arange(sample.size)
    low, high = np.maximum(beats - HALF, 0), np.minimum(beats + HALF, sample.size - 1)
    doubled = _near(sample, second, SAME_BEAT_S * fs_hz)
    missed = second[~_near(second, sample, SAME_BEAT_S * fs_hz)]
    missed = np.union1d(missed, first.small)
    only_first = _between(np.append(0, np.cumsum(~doubled)), low, high + 1)
    only_second = np.searchsorted(missed, sample[high]) - np.searchsorted(missed, sample[low])
    count = high + 1 - low
    agreement = 1 - (only_first + only_second) / (2 * count - only_first + only_second)
    level = _background(first, fs_hz, low, high)
    medians = around(energy)
    relative = np.pad(energy / np.maximum(medians, _TINY), HALF, mode="edge")
    weakest = np.lib.stride_tricks.sliding_window_view(relative, NEIGHBOURS).min(axis=1)
    return Measures(agreement, medians / np.maximum(level, _TINY), np.maximum(weakest, _TINY))


def _near(
    some: Int64[Array, "beat"], others: Int64[Array, "other"], within: float
) -> Bool[Array, "beat"]:
    """Which beats have one of the others close to them."""
    if not others.size:
        return np.zeros(some.size, dtype=np.bool_)
    after = np.searchsorted(others, some)
    before_by = np.abs(some - others[np.maximum(after - 1, 0)])
    after_by = np.abs(some - others[np.minimum(after, others.size - 1)])
    found: Bool[Array, "beat"] = np.minimum(before_by, after_by) <= within
    return found


def _background(
    search: Search, fs_hz: float, low: Int64[Array, "beat"], high: Int64[Array, "beat"]
) -> Float64[Array, "beat"]:
    """Mean energy outside the complexes, from beat `low` to beat `high`."""
    sample, unit = search.peaks.sample, search.level_samples
    at = (np.arange(search.level.size) + 0.5) * unit
    outside = ~_near(at.astype(np.int64), sample, COMPLEX_S * fs_hz)
    summed = np.append(0.0, np.cumsum(np.where(outside, search.level, 0.0)))
    counted = np.append(0, np.cumsum(outside))
    first = np.minimum(sample[low] // unit, search.level.size)
    last = np.minimum(sample[high] // unit, search.level.size)
    return _between(summed, first, last) / np.maximum(_between(counted, first, last), 1)


def _between(summed: Array, low: Int64[Array, "beat"], high: Int64[Array, "beat"]) -> Array:
    return summed[high] - summed[low]

r"""Beats by two running means of the QRS energy (Elgendi 2013), vectorised.

```
energy       ____/\______________/\_____
mean 97 ms   ___/  \____________/  \____    the length of a QRS complex
mean 611 ms  ~~~~~~~~~~~~~~~~~~~~~~~~~~~    the length of a beat, and a little more
a beat          ^^^^            ^^^^        where the short one lies above the long one
```

See M. Elgendi, Fast QRS detection with an optimized knowledge-based method, PLOS ONE 8 (2013).
Three things differ: leads are joined by their energies, the offset comes from the seconds around
instead of the whole recording, and beats far smaller than their neighbours are dropped.
"""

from bisect import bisect
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Int64
from pacl.ecg.energy import AROUND_S, BAND_HZ, qrs_energy, running_mean, thinning
from pacl.registry import NoSettings
from pacl.spans import runs

QRS_S, BEAT_S = 0.097, 0.611
OFFSET = 0.08
"""Added to the long mean, as a share of the mean over the seconds around."""

SHORTEST = 0.8
"""A QRS complex lasts at least this share of `QRS_S`."""

REFRACTORY_S = 0.25
SMALLEST, NEIGHBOURS = 0.1, 11
"""A beat has at least this share of the energy of the median of so many beats around it."""

BLOCK_S, OVERLAP_S = 1800.0, 20.0
"""A long ECG is searched in blocks, so that memory does not grow with it."""


LEVEL_S = 0.1
"""The energy is kept as a mean over so many seconds, to be compared with that of the beats."""


@dataclass(frozen=True, eq=False, slots=True)
class Peaks:
    """Beats by sample, and the energy of each."""

    sample: Int64[Array, "beat"]
    energy: Float64[Array, "beat"]

    def __getitem__(self, some: Array) -> "Peaks":
        return Peaks(self.sample[some], self.energy[some])


@dataclass(frozen=True, eq=False, slots=True)
class Search:
    """Beats, and the energy of the whole ECG: one mean for `level_samples` samples.

    `small` are the samples of what was too small for a beat.
    """

    peaks: Peaks
    small: Int64[Array, "small"]
    level: Float64[Array, "step"]
    level_samples: int


@dataclass(frozen=True, slots=True)
class AveragesFinder:
    """Finds beats by two running means; the band of the energy may be chosen."""

    band_hz: tuple[float, float] = BAND_HZ

    def find(self, millivolts: Float32[Array, "lead sample"], fs_hz: float) -> Int64[Array, "beat"]:
        """Sample of each beat."""
        return self.search(millivolts, fs_hz).peaks.sample

    def search(self, millivolts: Float32[Array, "lead sample"], fs_hz: float) -> Search:
        """Each beat with its energy, and the energy all along."""
        each = thinning(fs_hz)
        steps = max(round(LEVEL_S * fs_hz / each), 1)  # for one value of the level
        unit = steps * each
        block, overlap = (int(s * fs_hz / unit) * unit for s in (BLOCK_S, OVERLAP_S))
        samples, energies, levels = [np.empty(0, np.int64)], [np.empty(0)], [np.empty(0)]
        for start in range(0, millivolts.shape[1], block):
            low = max(start - overlap, 0)
            energy = qrs_energy(millivolts[:, low : start + block + overlap], fs_hz, self.band_hz)
            short = running_mean(energy, QRS_S * fs_hz / each)
            at = _beats(energy, short, fs_hz / each)
            sample = low + at * each + each // 2
            own = (sample >= start) & (sample < start + block)
            samples.append(sample[own])
            energies.append(short[at[own]])
            core = short[(start - low) // each :][: block // each]
            core = core[: core.size // steps * steps]
            levels.append(core.reshape(-1, steps).mean(axis=1))
        found = Peaks(np.concatenate(samples), np.concatenate(energies))
        apart = _apart(found, REFRACTORY_S * fs_hz)
        large = _is_large(apart.energy)
        return Search(apart[large], apart.sample[~large], np.concatenate(levels), unit)


def _beats(
    energy: Float64[Array, "step"], short: Float64[Array, "step"], rate_hz: float
) -> Int64[Array, "beat"]:
    """Where the energy of a QRS complex is highest."""
    if energy.size < 2:
        return np.empty(0, np.int64)
    limit = running_mean(energy, BEAT_S * rate_hz)
    limit += OFFSET * running_mean(energy, AROUND_S * rate_hz)
    return _highest(short, short > limit, SHORTEST * QRS_S * rate_hz)


def _highest(
    values: Float64[Array, "step"], on: Bool[Array, "step"], least_steps: float
) -> Int64[Array, "beat"]:
    """The highest value of each run that is long enough."""
    bounds = np.array([run for run in runs(on) if run[1] - run[0] >= least_steps], dtype=np.int64)
    if not bounds.size:
        return np.empty(0, np.int64)
    starts, lengths = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
    first = np.cumsum(lengths) - lengths
    inside = np.repeat(starts - first, lengths) + np.arange(int(lengths.sum()))
    within = values[inside]
    highest = np.flatnonzero(within == np.repeat(np.maximum.reduceat(within, first), lengths))
    of_run = np.searchsorted(first, highest, side="right")
    found: Int64[Array, "beat"] = inside[highest[np.unique(of_run, return_index=True)[1]]]
    return found


def _apart(peaks: Peaks, least_samples: float) -> Peaks:
    """Of beats too close to each other, the larger one."""
    keep = np.ones(peaks.sample.size, dtype=np.bool_)
    for start, stop in runs(np.diff(peaks.sample) < least_samples):
        taken: list[int] = []  # in order of time
        for one in start + np.argsort(-peaks.energy[start : stop + 1], kind="stable"):
            at = int(peaks.sample[one])
            place = bisect(taken, at)
            near = taken[max(place - 1, 0) : place + 1]
            keep[one] = all(abs(at - other) >= least_samples for other in near)
            if keep[one]:
                taken.insert(place, at)
    return peaks[keep]


def _is_large(energy: Float64[Array, "beat"]) -> Bool[Array, "beat"]:
    """Which beats are not far smaller than those around: T waves, and noise in a pause, are."""
    return energy >= SMALLEST * around(energy)


def around(energy: Float64[Array, "beat"]) -> Float64[Array, "beat"]:
    """The median of the beats around each; at the ends, of the nearest full range."""
    if energy.size <= NEIGHBOURS:
        return np.full(energy.size, np.median(energy) if energy.size else 0.0)
    windows = np.lib.stride_tricks.sliding_window_view(energy, NEIGHBOURS)
    medians = np.median(windows, axis=1)
    found: Float64[Array, "beat"] = np.pad(medians, NEIGHBOURS // 2, mode="edge")
    return found


def averages(settings: NoSettings) -> AveragesFinder:
    """Make the finder."""
    return AveragesFinder()

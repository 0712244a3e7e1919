"""Energy of the QRS complex: where in time an ECG has its steep parts.

Each lead is thinned to 100-200 samples a second, band-passed and squared. Leads are added, each
divided by its own mean and weighted by how peaked it is (mean square over squared mean): a lead
with clear complexes counts more than one with noise, at each moment.
"""

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64

BAND_HZ = (8.0, 20.0)
"""Where a QRS complex has the most energy compared with P and T waves and noise (Elgendi 2013)."""

LEAST_FS_HZ = 100.0
"""Energies have at least this many samples a second, and fewer than twice as many."""

FILTER_S = 0.4
AROUND_S = 6.0
"""Leads are compared, and thresholds made, with the mean over so many seconds."""

PEAKED = 4
"""How strongly leads are preferred that are peaked; 2 and 4 were compared."""

CLEAREST_S = 20.0
MUCH_CLEARER = 1.5
"""By how much another lead must be more peaked to be used instead of the usual one."""

_TINY = 1e-30


def thinning(fs_hz: float) -> int:
    """Samples of an ECG for one of its energy."""
    return max(int(fs_hz // LEAST_FS_HZ), 1)


def qrs_energy(
    millivolts: Float32[Array, "lead sample"], fs_hz: float, band_hz: tuple[float, float] = BAND_HZ
) -> Float64[Array, "step"]:
    """Energy of all leads, one value for `thinning` samples."""
    energies = [_lead_energy(lead, fs_hz, band_hz) for lead in millivolts]
    if len(energies) == 1:
        return energies[0]
    around = AROUND_S * fs_hz / thinning(fs_hz)
    total = np.zeros_like(energies[0])
    for energy in energies:
        mean = running_mean(energy, around) + _TINY
        peaked = mean / (running_mean(np.sqrt(energy), around) ** 2 + _TINY)
        total += peaked**PEAKED * energy / mean
    return total


def clearest_leads(
    millivolts: Float32[Array, "lead sample"], fs_hz: float
) -> Int64[Array, "stretch"]:
    """The lead whose complexes stand out most, for each `CLEAREST_S` seconds.

    That of the whole recording is kept where no other is much clearer: each change may move one
    interval by the distance of the R waves in two leads.
    """
    length = max(int(CLEAREST_S * fs_hz), 1)
    stretches = -(-millivolts.shape[1] // length)
    if len(millivolts) == 1 or not stretches:
        return np.zeros(max(stretches, 1), np.int64)
    peaked = np.zeros((len(millivolts), stretches))
    for lead, at in np.ndindex(peaked.shape):
        energy = _lead_energy(millivolts[lead, at * length : (at + 1) * length], fs_hz, BAND_HZ)
        if energy.size:
            peaked[lead, at] = energy.mean() / (np.sqrt(energy).mean() ** 2 + _TINY)
    usual = int(np.median(peaked, axis=1).argmax())
    clearest = peaked.argmax(axis=0)
    much = peaked.max(axis=0) > MUCH_CLEARER * peaked[usual]
    found: Int64[Array, "stretch"] = np.where(much, clearest, usual).astype(np.int64)
    return found


def running_mean(values: Float64[Array, "step"], steps: float) -> Float64[Array, "step"]:
    """Mean over a window around each value, shorter at the ends."""
    half = min(int(steps) // 2, max(values.size - 1, 0))
    summed = np.concatenate([[0.0], np.cumsum(values)])
    found = np.empty_like(values)
    width = 2 * half + 1
    if values.size >= width:
        np.subtract(summed[width:], summed[:-width], out=found[half : values.size - half])
        found[half : values.size - half] /= width
    edge = np.arange(min(half, values.size))
    found[edge] = summed[np.minimum(edge + half + 1, values.size)] / (edge + half + 1)
    last = values.size - 1 - edge
    low = np.maximum(last - half, 0)
    found[last] = (summed[-1] - summed[low]) / (values.size - low)
    return np.maximum(found, 0.0)


def _lead_energy(
    lead: Float32[Array, "sample"], fs_hz: float, band_hz: tuple[float, float]
) -> Float64[Array, "step"]:
    each = thinning(fs_hz)
    steps = lead.size // each
    if not steps:
        return np.empty(0)
    thin = lead[: steps * each].reshape(steps, each).mean(axis=1, dtype=np.float64)
    thin -= np.median(thin)
    return np.convolve(thin, band_pass(fs_hz / each, *band_hz), "same")[:steps] ** 2


def band_pass(fs_hz: float, low_hz: float, high_hz: float) -> Float64[Array, "tap"]:
    """A symmetric filter, so that nothing moves in time; its largest gain is 1."""
    at_s = (np.arange(int(FILTER_S * fs_hz) | 1) - int(FILTER_S * fs_hz) // 2) / fs_hz
    high_hz = min(high_hz, 0.45 * fs_hz)
    taps = high_hz * np.sinc(2 * high_hz * at_s) - low_hz * np.sinc(2 * low_hz * at_s)
    taps *= np.hanning(at_s.size + 2)[1:-1]
    found: Float64[Array, "tap"] = taps / np.abs(np.fft.rfft(taps, 4096)).max()
    return found

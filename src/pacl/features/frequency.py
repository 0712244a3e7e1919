"""Frequency-domain features: powers of slow, medium and fast changes of the interval.

Bands as in the Task Force (1996) and `VHF` above them. The spectrum and so all of these are
NeuroKit2's `hrv_frequency` with its defaults; see `spectrum`. Its `ULF`, below 0.0033 Hz, needs 20
minutes, which no window has.
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.numeric import in_batches, log_of, over
from pacl.features.spectrum import measure_spectra

FREQUENCY_NAMES = ("VLF", "LF", "HF", "VHF", "TP", "LFHF", "LFn", "HFn", "LnHF")

BANDS_HZ = ((0.0033, 0.04), (0.04, 0.15), (0.15, 0.4), (0.4, 0.5))
"""Very low, low, high and very high; the upper bound belongs to the next band."""

BATCH_BEATS = 12_800


def frequency_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 9"]:
    """`FREQUENCY_NAMES` of each window.

    Powers are over the largest in any bin, as NeuroKit2 has them, and so in Hz. A band that the
    window is too short for has a power of 0, and so have all of a window of equal beats; a ratio
    to such a band and its logarithm are 0 too.
    """
    powers = in_batches(_band_powers, rr_ms, BATCH_BEATS).T
    _, low_power, high_power, _ = powers
    total = powers.sum(axis=0)
    return np.column_stack(
        [
            *(*powers, total, over(low_power, high_power)),
            *(over(low_power, total), over(high_power, total), log_of(high_power)),
        ]
    )


def _band_powers(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window band"]:
    """What lies under the line from bin to bin of each band."""
    spectra = measure_spectra(rr_ms)
    step = np.diff(spectra.hz, axis=1)
    both = (spectra.power[:, 1:] + spectra.power[:, :-1]) / 2 * step
    powers = []
    for low, high in BANDS_HZ:
        within = spectra.counts & (spectra.hz >= low) & (spectra.hz < high)
        powers.append((both * (within[:, 1:] & within[:, :-1])).sum(axis=1))
    return np.column_stack(powers)

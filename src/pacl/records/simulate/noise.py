"""Coloured noise by spectral synthesis: one inverse FFT a run (Timmer and Koenig 1995).

Frequencies are in cycles per beat, so that a series of intervals has the spectrum of the
tachogram (McSharry et al. 2003 build sinus rhythm from the same two peaks).
"""

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np

from pacl.axes import Array, Float32

REFERENCE_BEATS = 1000
"""SDs of 1/f noise are given over this many beats: slower waves come on top of them."""

SLOWEST = 1 / 10_000
"""Below this frequency 1/f noise is flat, or long records would drift without bound."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A bell-shaped band of oscillation around `centre`, with standard deviation `sd`."""

    sd: float
    centre: float
    width: float


def coloured(
    beats: int, sd: float, slope: float, peaks: tuple[Peak, ...], generator: np.random.Generator
) -> Float32[Array, "beat"]:
    """Gaussian noise of `1/f**slope` power and given peaks.

    `sd` is the standard deviation that the 1/f part has between one cycle in 1,000 beats and one
    in two, for any number of beats.
    """
    length = fast_length(max(beats, 16))
    frequency = np.arange(1, length // 2 + 1, dtype=np.float32) / np.float32(length)
    density = np.maximum(frequency, np.float32(SLOWEST)) ** np.float32(-slope)
    density *= np.float32(sd**2 / _band_power(slope))
    for peak in peaks:
        bell = frequency - np.float32(min(peak.centre, 0.45))
        bell *= np.float32(1 / peak.width)
        np.square(bell, out=bell)
        bell *= np.float32(-0.5)
        np.exp(bell, out=bell)
        bell *= np.float32(peak.sd**2 / (peak.width * sqrt(2 * np.pi)))
        density += bell
    # a real series has variance (4 / length**2) * sum(amplitude**2) over its one-sided spectrum
    density *= np.float32(length / 4)
    amplitude = np.sqrt(density, out=density)
    spectrum = np.zeros(length // 2 + 1, dtype=np.complex64)
    parts = spectrum[1:].view(np.float32).reshape(-1, 2)
    generator.standard_normal(out=parts, dtype=np.float32)
    parts *= amplitude[:, None]
    spectrum[-1] = 0
    return np.fft.irfft(spectrum, length)[:beats]


def ramps(knots: Float32[Array, "knot"], step: int, beats: int) -> Float32[Array, "beat"]:
    """Straight lines between `knots`, which are `step` beats apart."""
    share = np.arange(step, dtype=np.float32) / np.float32(step)
    lines = knots[:-1, None] + np.diff(knots)[:, None] * share
    series: Float32[Array, "beat"] = lines.reshape(-1)[:beats]
    return series


def knot_count(beats: int, step: int) -> int:
    """Number of knots, `step` beats apart, that `ramps` needs for a number of beats."""
    return ceil(beats / step) + 1


def fast_length(at_least: int) -> int:
    """The next length for which an FFT is fast: a power of two times 1, 9/8, 5/4, 3/2, 15/8."""
    power = 1 << max(at_least - 1, 1).bit_length() - 1
    return next(
        length
        for eighths in (8, 9, 10, 12, 15, 16)
        if (length := power * eighths // 8) >= at_least and length % 2 == 0
    )


def _band_power(slope: float) -> float:
    """Integral of `f**-slope` from one cycle in `REFERENCE_BEATS` to one in two beats."""
    low, high = 1 / REFERENCE_BEATS, 0.5
    if abs(slope - 1) < 1e-6:
        return log(high / low)
    return float((high ** (1 - slope) - low ** (1 - slope)) / (1 - slope))

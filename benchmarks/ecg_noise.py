"""Noise as ECGs have it: baseline wander, muscle, electrode motion.

The ratio is that of the noise stress test (Moody, Muldrow and Mark 1984): the signal's power is the
square of the QRS complex's height, peak to peak, divided by 8. Noise comes and goes by the minute,
so that there are quiet minutes to keep and noisy ones to leave out.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HALF_COMPLEX_S = 0.05
MINUTE_S = 60.0


def band(rng: np.random.Generator, size: int, fs_hz: float, low: float, high: float) -> Floats:
    """Gaussian noise of a band of frequencies, of standard deviation 1."""
    frequency = np.fft.rfftfreq(size, 1 / fs_hz)
    parts = rng.standard_normal((2, frequency.size))
    spectrum = (parts[0] + 1j * parts[1]) * ((frequency >= low) & (frequency <= high))
    found: Floats = np.fft.irfft(spectrum, size)
    return found / found.std()


def baseline(rng: np.random.Generator, size: int, fs_hz: float) -> Floats:
    """Slow wandering: breathing and movement."""
    return band(rng, size, fs_hz, 0.05, 0.7)


def muscle(rng: np.random.Generator, size: int, fs_hz: float) -> Floats:
    """Noise of 5 to 150 Hz that swells and fades."""
    found = band(rng, size, fs_hz, 5.0, min(150.0, fs_hz / 2.1))
    return _unit(found * np.exp(0.7 * band(rng, size, fs_hz, 0.05, 1.0)))


def motion(rng: np.random.Generator, size: int, fs_hz: float) -> Floats:
    """Jerks that rise and decay like a complex, and slow waves in bursts."""
    jerks = np.where(rng.random(size) < 1.2 / fs_hz, rng.standard_t(3, size), 0.0)
    after_s = np.arange(int(fs_hz)) / fs_hz
    decays = np.exp(-after_s / 0.15) - np.exp(-after_s / 0.02)
    waves = band(rng, size, fs_hz, 1.0, 10.0) * np.exp(0.8 * band(rng, size, fs_hz, 0.05, 0.5))
    return _unit(_unit(np.convolve(jerks, decays)[:size]) + 0.6 * waves)


def _unit(values: Floats) -> Floats:
    return values / values.std()


KINDS: dict[str, Callable[[np.random.Generator, int, float], Floats]] = {
    "baseline": baseline,
    "muscle": muscle,
    "motion": motion,
}


def with_noise(
    millivolts: NDArray[np.float32], fs_hz: float, beats: NDArray[np.int64], kind: str, db: float
) -> NDArray[np.float32]:
    """Add noise in every second minute, of its own in each lead."""
    rng = np.random.default_rng(1)
    half = int(HALF_COMPLEX_S * fs_hz)
    noisy = (np.arange(millivolts.shape[1]) // int(MINUTE_S * fs_hz)) % 2 == 1
    found = millivolts.astype(np.float64)
    for lead in found:
        heights = [np.ptp(lead[max(at - half, 0) : at + half]) for at in beats.tolist()]
        power = float(np.median(heights)) ** 2 / 8 / 10 ** (db / 10)
        lead += np.sqrt(power) * KINDS[kind](rng, lead.size, fs_hz) * noisy
    return found.astype(np.float32)

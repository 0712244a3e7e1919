"""What every beat finder promises."""

from typing import Any

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.ecg import BEAT_FINDERS, BeatFinder
from pacl.registry import Entry
from pacl.testing.contract import check, check_entry, entry_of, require

WAVES = ((-0.17, 0.12, 0.020), (-0.03, -0.12, 0.010), (0.0, 1.0, 0.011), (0.03, -0.25, 0.010))
"""P, Q, R and S: seconds from the R wave, millivolts, and width in seconds."""

T_WAVE = (0.25, 0.25, 0.045)
MOST_WRONG = 0.05
"""Of a clear ECG; thresholds may have to settle first."""

NEAR_S = 0.05
"""A beat is found if it is this close."""


def made_ecg(
    at_s: Float64[Array, "beat"], fs_hz: float, duration_s: float, noise_mv: float = 0.01
) -> Float32[Array, "one sample"]:
    """One lead with a beat at each time: sums of bell curves, and a little noise."""
    time_s = np.arange(int(duration_s * fs_hz)) / fs_hz
    found = noise_mv * np.random.default_rng(0).standard_normal(time_s.size)
    for beat_s in at_s:
        low, high = np.searchsorted(time_s, (beat_s - 0.4, beat_s + 0.6))
        near_s = time_s[low:high] - beat_s
        for after_s, height_mv, width_s in (*WAVES, T_WAVE):
            found[low:high] += height_mv * np.exp(-0.5 * ((near_s - after_s) / width_s) ** 2)
    return found[None].astype(np.float32)


class BeatFinderContract:
    """Subclass it, and say how to make a `finder`."""

    def finder(self) -> BeatFinder:
        """A new finder."""
        raise NotImplementedError

    def test_it_finds_the_beats_of_a_clear_ecg(self) -> None:
        """At the rates of watches, straps and monitors, regular and irregular."""
        rng = np.random.default_rng(1)
        for fs_hz in (100.0, 130.0, 250.0, 360.0, 1000.0):
            for spread_s in (0.02, 0.2):
                at_s = 1.0 + np.cumsum(rng.normal(0.8, spread_s, 80).clip(0.4, 1.6))
                ecg = made_ecg(at_s, fs_hz, float(at_s[-1]) + 1.0)
                found_s = self._found(ecg, fs_hz) / fs_hz
                missed = [one for one in at_s[2:-1] if np.abs(found_s - one).min() > NEAR_S]
                false = [one for one in found_s if np.abs(at_s - one).min() > NEAR_S]
                right = len(missed) + len(false) <= MOST_WRONG * at_s.size
                require(right, f"{fs_hz:g} Hz: {len(missed)} missed, {len(false)} false")

    def test_scale_and_offset_do_not_matter(self) -> None:
        """Files do not agree on units, and electrodes have an offset."""
        ecg = made_ecg(np.arange(1.0, 40.0, 0.9), 250.0, 41.0)
        plain = self._found(ecg, 250.0)
        for changed in (ecg * 1000, ecg / 1000, ecg + 5):
            same = np.abs(self._found(changed.astype(np.float32), 250.0) - plain).max(initial=0)
            require(same <= 1, "the same beats in another unit, or with an offset")

    def test_several_leads_are_taken(self) -> None:
        """As many as there are."""
        at_s = np.arange(1.0, 40.0, 0.9)
        lead = made_ecg(at_s, 250.0, 41.0)
        found = self._found(np.concatenate([0.2 * lead, lead, 0 * lead]), 250.0)
        require(abs(found.size - at_s.size) <= 1, f"{at_s.size} beats, not {found.size}")

    def test_a_signal_without_beats_is_no_error(self) -> None:
        """A flat line, one sample, none."""
        for size in (0, 1, 2, 50, 5000):
            require(self._found(np.zeros((1, size), np.float32), 250.0).size == 0, "no beat")

    def _found(self, ecg: Float32[Array, "lead sample"], fs_hz: float) -> Any:
        found = self.finder().find(ecg, fs_hz)
        require(found.dtype == np.int64 and found.ndim == 1, "samples, as 64-bit integers")
        inside = not found.size or (found[0] >= 0 and found[-1] < ecg.shape[1])
        require(inside and (np.diff(found) > 0).all(), "in order, each once, within the signal")
        return found


def check_beat_finder(which: str | Entry[Any]) -> None:
    """Check a beat finder, by its name or its entry."""
    entry = entry_of(BEAT_FINDERS, which)
    check_entry(entry)

    class Checked(BeatFinderContract):
        def finder(self) -> BeatFinder:
            made: BeatFinder = entry.make()
            require(isinstance(made, BeatFinder), "find")
            return made

    Checked.__name__ = f"beat finder {entry.name}"
    check(Checked())

"""What is not beat to beat is refused, and no real heart is."""

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest

from pacl.records import Rhythm, ValueRangeError, WfdbReader, open_records
from pacl.records.open import ReadOptions
from pacl.records.simulate import simulate_cohort
from pacl.records.text import parse_rr
from pacl.records.text.beat_to_beat import FEWEST_BEATS, not_beat_to_beat
from support.refusals import refused

Series = np.ndarray[tuple[int], np.dtype[np.float64]]


def resampled(rr_ms: Series, hz: float) -> Series:
    at_s = np.cumsum(rr_ms) / 1000
    return np.interp(np.arange(at_s[0], at_s[-1], 1 / hz), at_s, rr_ms)


def mean(rr_ms: Series, beats: int) -> Series:
    return np.convolve(rr_ms, np.ones(beats) / beats, "valid")


def median(rr_ms: Series, beats: int) -> Series:
    return np.median(np.lib.stride_tricks.sliding_window_view(rr_ms, beats), axis=1)


def from_heart_rate(rr_ms: Series) -> Series:
    return 60_000 / np.rint(60_000 / resampled(mean(rr_ms, 5), 1))


def held(rr_ms: Series, hz: float) -> Series:
    at_s = np.cumsum(rr_ms) / 1000
    return rr_ms[np.searchsorted(at_s, np.arange(at_s[0], at_s[-1], 1 / hz))]


SPOILT: dict[str, Callable[[Series], Series]] = {
    "4 Hz": lambda rr: resampled(rr, 4),
    "8 Hz": lambda rr: resampled(rr, 8),
    "10 Hz": lambda rr: resampled(rr, 10),
    "held at 4 Hz": lambda rr: held(rr, 4),
    "mean of 3": lambda rr: mean(rr, 3),
    "mean of 5": lambda rr: mean(rr, 5),
    "mean of 10": lambda rr: mean(rr, 10),
    "mean of 30": lambda rr: mean(rr, 30),
    "median of 3": lambda rr: median(rr, 3),
    "median of 5": lambda rr: median(rr, 5),
    "median of 11": lambda rr: median(rr, 11),
    "heart rate": from_heart_rate,
}


def af(beats: int, seed: int = 0) -> Series:
    """Intervals as irregular as AF, to the ms."""
    return np.rint(np.random.default_rng(seed).normal(650, 120, beats).clip(300, 1500))


def text(values: Series) -> bytes:
    return "\n".join(f"{value:.1f}" for value in values).encode()


@pytest.mark.parametrize("kind", SPOILT)
def test_af_that_was_spoilt_is_refused_with_what_to_export(kind: str) -> None:
    spoilt = text(SPOILT[kind](af(6000)))
    with pytest.raises(ValueRangeError) as caught:
        parse_rr(spoilt, "a.txt")
    for fact in ("a.txt", "export the beat-to-beat RR intervals", "--allow-smoothed"):
        assert fact in str(caught.value)
    assert len(parse_rr(spoilt, "a.txt", allow_smoothed=True)) > 1000


@pytest.mark.parametrize("kind", ["4 Hz", "8 Hz", "mean of 5", "heart rate"])
def test_half_an_hour_is_enough(kind: str) -> None:
    assert not_beat_to_beat(np.round(SPOILT[kind](af(2600)), 1))


def test_the_mean_says_over_how_many_beats() -> None:
    assert "over 5 beats" in not_beat_to_beat(mean(af(6000), 5))


def test_the_option_reaches_the_reader(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text(resampled(af(3000), 4)))
    with refused(ValueRangeError, "--allow-smoothed"):
        open_records(path).read("a")
    assert open_records(path, ReadOptions(allow_smoothed=True)).read("a")


@pytest.mark.parametrize("step_ms", [1, 1000 / 128, 8, 10])
def test_af_and_simulated_patients_are_read(step_ms: float) -> None:
    for patient in islice(simulate_cohort(patients=2), 2):
        rr_ms = patient.record.rr_ms.astype(np.float64)
        for part in (rr_ms[:20_000], rr_ms[:300], rr_ms[-1000:]):
            rounded = np.rint(part / step_ms) * step_ms
            assert len(parse_rr(text(rounded), "a.txt", allow_zero=True)) == part.size
    assert not not_beat_to_beat(np.rint(af(6000) / step_ms) * step_ms)


def test_metronomes_paced_and_repeating_hearts_are_read() -> None:
    beats = np.arange(2000)
    rng = np.random.default_rng(0)
    demand = np.where(rng.random(2000) < 0.5, 857.0, rng.integers(500, 857, 2000))
    for rr_ms in (
        np.full(2000, 800.0),
        np.where(beats % 2, 600.0, 1000.0),
        np.where(beats % 3, 700.0, 1100.0),
        np.where(beats % 4, 700.0, 500.0),
        857.0 + (beats % 2),
        demand,
    ):
        assert not not_beat_to_beat(rr_ms)


def test_a_few_intervals_are_not_looked_at() -> None:
    smooth = resampled(af(400), 8)[: FEWEST_BEATS - 1]
    assert not not_beat_to_beat(smooth)


def test_a_slow_wave_with_the_noise_of_a_heart_is_read() -> None:
    beats = np.arange(5000)
    wave = 900 + 150 * np.sin(2 * np.pi * beats / 60)
    noisy = np.rint(wave + np.random.default_rng(0).normal(0, 12, beats.size))
    assert not not_beat_to_beat(noisy)


@pytest.mark.slow
@pytest.mark.real
def test_no_real_record_is_refused(data) -> None:
    for name in ("mitdb", "nsrdb", "cpsc2021", "afdb"):
        reader = WfdbReader(data / name)
        for record_id in reader.record_ids:
            rr_ms = reader.read(record_id).rr_ms.astype(np.float64)
            rr_ms = rr_ms[(rr_ms >= 200) & (rr_ms <= 2000)]
            for part in (rr_ms, rr_ms[:300]):
                assert not not_beat_to_beat(np.rint(part)), (name, record_id)


@pytest.mark.real
@pytest.mark.parametrize("kind", ["4 Hz", "mean of 5", "mean of 10", "median of 5", "heart rate"])
def test_af_of_real_records_is_refused_once_it_is_spoilt(data, kind: str) -> None:
    reader = WfdbReader(data / "afdb")
    looked_at = 0
    for record_id in reader.record_ids:
        record = reader.read(record_id)
        rr_ms = record.rr_ms[record.rhythm() == Rhythm.AF].astype(np.float64)
        rr_ms = rr_ms[(rr_ms >= 200) & (rr_ms <= 2000)]
        if rr_ms.size >= 1000:
            looked_at += 1
            assert not_beat_to_beat(np.round(SPOILT[kind](rr_ms), 1)), record_id
    assert looked_at == 19

"""A clock that contradicts the intervals is an error, not ignored."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from pacl.records import Rhythm, ValueRangeError, WfdbReader
from pacl.records.text import parse_rr
from support.refusals import refused

RNG = np.random.default_rng(0)
AF = np.rint(RNG.normal(650, 120, 3000).clip(300, 1500))


def table(at_s: np.ndarray, rr_ms: np.ndarray, name: str = "time [s]") -> bytes:
    rows = (f"{t:.3f},{rr:.1f}" for t, rr in zip(at_s, rr_ms, strict=True))
    return (f"{name},rr [ms]\n" + "\n".join(rows)).encode()


def resampled(rr_ms: np.ndarray, hz: float) -> tuple[np.ndarray, np.ndarray]:
    at_s = np.cumsum(rr_ms) / 1000
    grid_s = np.arange(at_s[0], at_s[-1], 1 / hz)
    return grid_s, np.interp(grid_s, at_s, rr_ms)


@pytest.mark.parametrize("hz", [1, 2, 4, 8, 10])
@pytest.mark.parametrize("beats", [150, 3000])
def test_an_even_grid_beside_varying_intervals_was_resampled(hz: float, beats: int) -> None:
    content = table(*resampled(AF[:beats], hz))
    with pytest.raises(ValueRangeError) as caught:
        parse_rr(content, "a.csv")
    for fact in ("a.csv", "'time [s]'", f"{1000 / hz:g} ms", "resampled", "--time-column ''"):
        assert fact in str(caught.value)
    kept = parse_rr(content, "a.csv", time_column="", allow_smoothed=True)
    assert kept.file_starts.tolist() == [0]


def test_another_duration_names_both() -> None:
    at_s, rr_ms = np.cumsum(AF) / 1000, AF
    jitter = RNG.uniform(0, 0.05, AF.size)
    with pytest.raises(ValueRangeError) as caught:
        parse_rr(table(at_s / 3 + jitter, rr_ms), "a.csv")
    for fact in ("a.csv", f"{at_s[-1] / 3:.0f} s", f"{at_s[-1]:.0f} s", "--time-column ''"):
        assert fact[:3] in str(caught.value)
    with refused(ValueRangeError, "--time-column"):
        parse_rr(table(at_s * 1.5 + jitter, rr_ms), "a.csv")


def test_lost_beats_and_rounded_clocks_are_no_contradiction() -> None:
    at_s = np.append(0, np.cumsum(AF)[:-1]) / 1000
    seen = RNG.random(AF.size) > 0.15
    record = parse_rr(table(at_s[seen], AF[seen]), "a.csv")
    assert len(record) == np.count_nonzero(seen)
    assert parse_rr(table(np.floor(at_s), AF), "a.csv").file_starts.tolist() == [0]
    noise = np.sort(at_s + RNG.uniform(0, 1.5, at_s.size))
    assert parse_rr(table(noise, AF), "a.csv").file_starts.tolist() == [0]


def test_pauses_are_left_out() -> None:
    at_s = np.append(0, np.cumsum(AF)[:-1]) / 1000
    at_s[1000:] += 5000
    at_s[2000:] += 9000
    assert parse_rr(table(at_s, AF), "a.csv").file_starts.tolist() == [0, 1000, 2000]


def test_a_metronome_may_tick_evenly() -> None:
    assert len(parse_rr(table(0.8 * np.arange(500), np.full(500, 800.0)), "a.csv")) == 500


def test_a_grid_of_iso_times() -> None:
    _, rr_ms = resampled(AF[:200], 4)
    began = datetime(2026, 4, 1, 9)
    rows = (f"{began + timedelta(seconds=at / 4)},{rr:.0f}" for at, rr in enumerate(rr_ms, 1))
    with refused(ValueRangeError, "resampled"):
        parse_rr(("timestamp,rr\n" + "\n".join(rows)).encode(), "a.csv")


@pytest.mark.real
@pytest.mark.parametrize("hz", [1, 4])
def test_real_af_resampled_with_its_clock_is_refused_in_every_record(data, hz: float) -> None:
    reader = WfdbReader(data / "afdb")
    looked_at = 0
    for record_id in reader.record_ids:
        record = reader.read(record_id)
        rr_ms = record.rr_ms[record.rhythm() == Rhythm.AF].astype(np.float64)[:3000]
        if rr_ms.size >= 1000:
            looked_at += 1
            with refused(ValueRangeError, "resampled"):
                parse_rr(table(*resampled(rr_ms, hz)), "a.csv")
    assert looked_at == 19


def test_a_clock_of_whole_seconds_beside_sixty_beats_a_minute() -> None:
    rr_ms = np.random.default_rng(0).normal(1000, 30, 100).round()
    rr_ms += 1000 - rr_ms.mean().round()
    seconds = np.floor(np.cumsum(rr_ms) / 1000).astype(int)
    rows = [
        f"00:{at // 60:02}:{at % 60:02},{one:.0f}" for at, one in zip(seconds, rr_ms, strict=True)
    ]
    record = parse_rr(("time,rr_ms\n" + "\n".join(rows) + "\n").encode(), "watch.csv")
    assert len(record) == 100

from dataclasses import replace

import numpy as np
import pytest

from pacl.records.simulate import Kind, QrsDetector
from pacl.records.simulate.detector import add_faults, calibration_rr, merge, on_grid, split

PERFECT = QrsDetector(
    missed=0.0,
    extra=0.0,
    clustering=2.0,
    blanking_ms=200,
    doubled=0.0,
    losses_per_day=0.0,
    loss_s=5.0,
)


def beats(count: int = 50_000) -> tuple[np.ndarray, np.ndarray]:
    rr = 5 * np.random.default_rng(9).integers(100, 240, count, dtype=np.int32)
    return rr, np.full(count, Kind.SINUS, dtype=np.uint8)


def test_intervals_lie_on_the_200_hz_grid():
    rr = on_grid(np.array([802.4, 802.6, 12.0, 797.4], dtype=np.float32))
    assert rr.tolist() == [800, 805, 200, 795]


def test_a_missed_beat_merges_exactly():
    rr = np.array([800, 810, 820, 830, 840], dtype=np.int32)
    kind = np.full(5, Kind.SINUS, dtype=np.uint8)
    dropped = np.array([False, False, True, True, False])
    seen, what = merge(rr, kind, dropped, Kind.MISSED)
    assert seen.tolist() == [800, 810 + 820 + 830, 840]
    assert what.tolist() == [Kind.SINUS, Kind.MISSED, Kind.SINUS]


def test_an_extra_beat_splits_exactly():
    rr = np.array([800, 810, 820], dtype=np.int32)
    kind = np.full(3, Kind.SINUS, dtype=np.uint8)
    seen, what = split(rr, kind, np.array([0, 2]), np.array([300, 0], dtype=np.int32))
    assert seen.tolist() == [300, 500, 810, 0, 820]
    assert what.tolist() == [Kind.EXTRA, Kind.EXTRA, Kind.SINUS, Kind.EXTRA, Kind.EXTRA]
    assert rr.tolist() == [800, 810, 820]


def test_a_perfect_detector_changes_nothing():
    rr, kind = beats()
    seen, what = add_faults(rr, kind, PERFECT, np.random.default_rng(0))
    assert np.array_equal(seen, rr)
    assert np.array_equal(what, kind)


@pytest.mark.parametrize(
    "fault",
    [{"missed": 0.01}, {"extra": 0.01}, {"losses_per_day": 60.0}],
    ids=["missed", "extra", "lost"],
)
def test_faults_move_beats_but_no_time(fault):
    rr, kind = beats()
    seen, what = add_faults(rr, kind, replace(PERFECT, **fault), np.random.default_rng(1))
    true_beats, seen_beats = np.cumsum(rr), np.cumsum(seen)
    assert seen_beats[-1] == true_beats[-1]
    name = next(iter(fault))
    if name == "extra":
        assert np.isin(true_beats, seen_beats).all()
        assert seen.size - rr.size == pytest.approx(500, rel=0.3)
    else:
        assert np.isin(seen_beats, true_beats).all()
        assert seen.size < rr.size
    assert np.array_equal(seen[what == Kind.SINUS] % 5, np.zeros((what == Kind.SINUS).sum()))
    kinds = {"missed": Kind.MISSED, "extra": Kind.EXTRA, "losses_per_day": Kind.LOST}
    assert set(what) == {Kind.SINUS, kinds[name]}


def test_lost_signal_is_long_but_never_longer_than_any_in_the_real_records():
    rr, kind = beats(200_000)
    lossy = replace(PERFECT, losses_per_day=300.0, loss_s=30.0)
    seen, what = add_faults(rr, kind, lossy, np.random.default_rng(2))
    assert 40_000 < seen.max() <= 46_860
    assert seen[what == Kind.SINUS].max() == rr.max()


def test_only_an_unblanked_detector_gives_less_than_200_ms():
    rr, kind = beats()
    noisy = replace(PERFECT, extra=0.02)
    seen, _ = add_faults(rr, kind, noisy, np.random.default_rng(3))
    assert seen.min() >= 200
    unblanked = replace(noisy, blanking_ms=0, doubled=0.1)
    seen, _ = add_faults(rr, kind, unblanked, np.random.default_rng(3))
    assert seen.min() == 0
    assert 0 < ((seen > 0) & (seen < 200)).mean() < 0.05


def test_calibration_lasts_half_a_minute():
    rr = calibration_rr(np.random.default_rng(0))
    assert 30_000 <= rr.sum() < 32_000
    assert rr.std() > 300

"""From an ECG to beats between samples, and what of them cannot be trusted."""

import numpy as np
import pytest

from pacl.ecg import Ecg, Segment, beats, find_beats
from pacl.ecg.beats import NOISE
from pacl.ecg.contiguous import contiguous
from pacl.ecg.refine import refined
from pacl.ecg.trouble import FLAT, LIMIT, NO_BEAT, TOO_FAST, beat_trouble
from pacl.spans import NotJudged
from pacl.testing import made_ecg

FS = 250.0
AT_S = 1.0 + np.cumsum(np.random.default_rng(0).normal(0.8, 0.05, 150))
END_S = float(AT_S[-1]) + 1.0


def ecg_of(*leads, onset_s=0.0, fs=FS):
    signal = np.concatenate(leads).astype(np.float32)
    names = tuple(f"lead {number}" for number in range(1, len(signal) + 1))
    return Ecg(fs, names, (Segment(onset_s, signal),), "digest", "here")


@pytest.fixture(scope="module")
def clear():
    return made_ecg(AT_S, FS, END_S)


def test_times_lie_between_samples(clear):
    (found,) = find_beats(ecg_of(clear))
    assert found.at_s.size == AT_S.size
    assert np.abs(found.at_s - AT_S).max() < 0.002
    on_samples = np.round(found.at_s * FS) / FS
    assert np.abs(found.at_s - AT_S).mean() < 0.5 * np.abs(on_samples - AT_S).mean()
    assert not found.not_judged
    (late,) = find_beats(ecg_of(clear, onset_s=100.0))
    assert late.at_s == pytest.approx(found.at_s + 100)


def test_a_complex_that_points_down_has_its_peak_there(clear):
    (up,), (down,) = find_beats(ecg_of(clear)), find_beats(ecg_of(-clear))
    assert down.at_s == pytest.approx(up.at_s, abs=0.002)


def test_a_peak_at_the_edge_of_its_window_is_not_moved():
    ramp = np.linspace(0, 9, 400, dtype=np.float32)
    assert refined(ramp, FS, np.array([200])).tolist() == [200.0]
    assert refined(ramp, FS, np.empty(0, np.int64)).size == 0


def test_noise_is_not_judged_and_the_rest_is(clear):
    noisy = clear.copy()
    low, high = int(40 * FS), int(60 * FS)
    noisy[0, low:high] += np.random.default_rng(1).standard_normal(high - low)
    (found,) = find_beats(ecg_of(noisy))
    assert found.not_judged
    assert min(one.start_s for one in found.not_judged) > 33
    assert max(one.end_s for one in found.not_judged) < 67
    assert sum(one.end_s - one.start_s for one in found.not_judged) > 15
    assert all(one.why.startswith("noise") for one in found.not_judged)
    starts = {one.start_s for one in found.not_judged} | {one.end_s for one in found.not_judged}
    assert starts <= set(found.at_s.tolist())
    (all_of_it,) = find_beats(ecg_of(noisy), mask=False)
    assert not all_of_it.not_judged
    assert all_of_it.at_s.tolist() == found.at_s.tolist()


@pytest.mark.parametrize(("value", "why"), [(0.0, FLAT), (3.0, LIMIT)])
def test_lead_off_and_saturation_are_named(clear, value, why):
    broken = clear + 0.02 * np.random.default_rng(2).standard_normal(clear.shape)
    low, high = int(30 * FS), int(50 * FS)
    broken[0, low:high] = value
    if why == LIMIT:
        broken[0, low:high:7] = 2.9
    (found,) = find_beats(ecg_of(broken))
    (one,) = (one for one in found.not_judged if one.end_s - one.start_s > 15)
    assert one.why == why
    assert one.start_s < 31
    assert one.end_s > 49


def test_a_lead_that_is_off_while_another_goes_on_is_no_reason(clear):
    off = clear.copy()
    off[0, int(30 * FS) : int(50 * FS)] = 0
    (found,) = find_beats(ecg_of(off, clear))
    assert not found.not_judged
    assert found.at_s.size == AT_S.size


def test_times_without_a_beat_and_absurd_rates():
    fast = np.concatenate([np.arange(0, 10, 0.8), 15 + np.arange(0, 5, 0.2)])
    found = list(beat_trouble(fast))
    assert [one.why for one in found] == [NO_BEAT, TOO_FAST]
    assert (found[0].start_s, found[0].end_s) == pytest.approx((9.6, 15.0))
    assert (found[1].start_s, found[1].end_s) == pytest.approx((15.0, 19.8))
    assert list(beat_trouble(np.arange(0, 60, 0.35))) == []


def test_missing_samples_end_a_part_and_short_holes_do_not(clear):
    holed = clear.copy()
    holed[0, int(20 * FS) : int(20 * FS) + 10] = np.nan
    holed[0, int(50 * FS) : int(60 * FS)] = np.nan
    parts = list(contiguous(ecg_of(holed, onset_s=5.0)))
    assert [round(onset_s, 3) for onset_s, _ in parts] == [5.0, 65.0]
    assert not any(np.isnan(part).any() for _, part in parts)
    found = find_beats(ecg_of(holed))
    assert len(found) == 2
    assert found[0].at_s[-1] < 50 < 60 < found[1].at_s[0]


def test_a_lead_that_is_missing_beside_others_is_left_out_there(clear):
    gone = np.full_like(clear, np.nan)
    (found,) = find_beats(ecg_of(gone, clear))
    assert found.lead == "lead 2"
    assert found.at_s.size == AT_S.size


def test_parts_without_two_beats_are_left_out(clear):
    short, flat = clear[:, : int(1.5 * FS)], np.zeros((1, 5000))
    assert find_beats(ecg_of(short)) == ()
    assert find_beats(ecg_of(flat)) == ()


def test_stretches_are_joined_after_they_reached_the_beats():
    at_s = np.arange(0.0, 60.0, 1.0)
    aside = [
        NotJudged(10.4, 14.0, NOISE),
        NotJudged(19.5, 21.0, NOISE),
        NotJudged(40.2, 41.0, FLAT),
    ]
    first, second = beats._to_beats(aside, at_s, 100.0)
    assert (first.start_s, first.end_s, first.why) == (110.0, 121.0, NOISE)
    assert (second.start_s, second.end_s, second.why) == (140.0, 141.0, FLAT)
    assert beats._to_beats([NotJudged(70.0, 80.0, NOISE)], at_s, 0.0) == ()
    (early,) = beats._to_beats([NotJudged(4.0, 50.0, NOISE)], at_s, 0.0)
    (late,) = beats._to_beats([NotJudged(7.0, 56.0, NOISE)], at_s, 0.0)
    assert (early.start_s, early.end_s) == (0.0, 50.0)
    assert (late.start_s, late.end_s) == (7.0, 59.0)

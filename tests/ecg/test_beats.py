"""From an ECG to beats between samples, and what of them cannot be trusted."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.ecg import AveragesFinder, Ecg, Segment, beats, find_beats
from pacl.ecg.beats import NOISE
from pacl.ecg.contiguous import contiguous
from pacl.ecg.quality import measure
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
    assert refined(ramp[None], FS, np.array([200]), np.zeros(1, np.int64)).tolist() == [200.0]
    assert refined(ramp[None], FS, np.empty(0, np.int64), np.zeros(1, np.int64)).size == 0


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


def test_stretches_are_joined_after_they_reached_the_beats():
    at_s = np.arange(0.0, 60.0, 1.0)
    aside = [NotJudged(12.4, 14.0, NOISE), NotJudged(24.5, 26.0, NOISE)]
    aside.append(NotJudged(40.2, 41.0, FLAT))
    first, second = beats._to_beats(aside, at_s, 100.0)
    assert (first.start_s, first.end_s, first.why) == (112.0, 126.0, NOISE)
    assert (second.start_s, second.end_s, second.why) == (140.0, 141.0, FLAT)
    assert beats._to_beats([NotJudged(70.0, 80.0, NOISE)], at_s, 0.0) == ()
    (early,) = beats._to_beats([NotJudged(4.0, 40.0, NOISE)], at_s, 0.0)
    (late,) = beats._to_beats([NotJudged(12.0, 56.0, NOISE)], at_s, 0.0)
    assert (early.start_s, early.end_s) == (0.0, 40.0)
    assert (late.start_s, late.end_s) == (12.0, 59.0)


def test_parts_without_two_beats_are_not_judged(clear):
    short, flat = clear[:, : int(1.5 * FS)], np.zeros((1, 5000))
    assert find_beats(ecg_of(short)) == ()
    (found,) = find_beats(ecg_of(flat, onset_s=7.0))
    assert found.at_s.size == 0
    assert found.not_judged == (NotJudged(7.0, 27.0, FLAT),)


def test_time_before_the_first_beat_and_after_the_last_is_not_judged(clear):
    quiet = np.zeros((1, int(60 * FS)), np.float32)
    whole = np.concatenate([quiet, clear, quiet], axis=1)
    (found,) = find_beats(ecg_of(whole))
    first, last = found.not_judged
    assert (first.start_s, first.why, last.why) == (0.0, FLAT, FLAT)
    assert first.end_s == pytest.approx(61, abs=2)
    assert last.start_s == pytest.approx(60 + END_S, abs=3)
    assert last.end_s == pytest.approx(whole.shape[1] / FS)


def test_a_lead_that_becomes_noise_does_not_move_the_beats(clear):
    """The usual lead is clear for most of the time; then another must give the times."""
    noisy = clear.copy()
    low = int(0.6 * clear.shape[1])
    noise = np.random.default_rng(5).standard_normal(clear.shape[1] - low)
    noisy[0, low:] = 0.4 * noise
    (found,) = find_beats(ecg_of(noisy, 0.5 * clear))
    assert found.at_s.size == AT_S.size
    off_s = np.abs(found.at_s - AT_S)
    away = np.abs(AT_S - low / FS) > 20  # in the stretch of the change both may be used
    assert off_s[away].max() < 0.01


def test_short_holes_between_segments_are_bridged_and_long_ones_are_not(clear):
    """As the clock of an EDF+ may leave them after each of its records."""
    pieces, step = [], int(FS)
    for at in range(0, clear.shape[1] - step, step):
        late_s = 0.002 * (at // step) + (5.0 if at > clear.shape[1] / 2 else 0.0)
        pieces.append(Segment(at / FS + late_s, clear[:, at : at + step]))
    ecg = Ecg(FS, ("I",), tuple(pieces), "digest", "here")
    assert len(list(contiguous(ecg))) == 2
    found = find_beats(ecg)
    assert sum(part.at_s.size for part in found) >= AT_S.size - 4


def test_times_of_a_flat_line_are_right_at_any_rate():
    fs = 149.5
    ecg = made_ecg(np.arange(1.0, 1199.0, 0.8), fs, 1200.0)
    ecg[0, int(1100 * fs) : int(1130 * fs)] = 0
    (found,) = find_beats(ecg_of(ecg, fs=fs))
    (one,) = found.not_judged
    assert one.start_s == pytest.approx(1100, abs=1.5)
    assert one.end_s == pytest.approx(1130, abs=1.5)


def test_most_of_a_recording_may_be_lead_off(clear):
    hiss = 0.001 * np.random.default_rng(6).standard_normal((1, int(900 * FS)))
    (found,) = find_beats(ecg_of(np.concatenate([clear, hiss], axis=1)))
    (one,) = found.not_judged
    assert one.start_s == pytest.approx(END_S, abs=8)
    assert one.end_s > END_S + 895
    assert one.why == FLAT


def test_another_finder_where_ours_finds_nothing():
    class Guess:
        def find(self, millivolts, fs_hz):
            return np.arange(100, 4000, 200)

    (found,) = find_beats(ecg_of(np.zeros((1, 5000))), Guess())
    assert found.at_s.size == 20
    (one,) = found.not_judged
    assert (one.start_s, one.end_s) == pytest.approx((0.4, 20.0), abs=0.1)


def test_what_was_too_small_for_a_beat_lowers_the_agreement():
    """Every second beat at a quarter of its height."""
    small = made_ecg(AT_S[::2], FS, END_S) + 0.25 * made_ecg(AT_S[1::2], FS, END_S)
    search = AveragesFinder().search(small, FS)
    assert search.small.size > 0.8 * AT_S[1::2].size
    second = search.peaks.sample
    without = replace(search, small=np.empty(0, np.int64))
    assert measure(without, second, FS).agreement.min() == 1
    assert np.median(measure(search, second, FS).agreement) < 0.75

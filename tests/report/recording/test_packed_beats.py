"""All beats in four bytes each: unpacked as the page does it."""

import numpy as np
import pytest

from pacl.report.recording.packed_beats import LONGEST_TICKS, TICK_MS, UNKNOWN, pack_beats


def unpacked(packed, count):
    """Onsets in seconds, intervals in ms, decisions and probabilities, beat by beat."""
    assert len(packed.content) == 4 * count
    ticks = np.frombuffer(packed.content, "<u2", count)
    decision, likely = np.frombuffer(packed.content[2 * count :], np.uint8).reshape(2, count)
    jumps, at, onset = dict(packed.jumps), 0, []
    for number, lasts in enumerate(ticks.tolist()):
        at = jumps.get(number, at)
        onset.append(at * TICK_MS / 1000)
        at += lasts
    return np.array(onset), ticks * TICK_MS, decision, likely


@pytest.fixture
def packed(make):
    """Pack a recording that nothing was found in."""
    make_record, make_detection = make

    def found(rr_ms, steps=(), **more):
        record = make_record(np.zeros(len(rr_ms)), **more)
        object.__setattr__(record, "rr_ms", np.asarray(rr_ms))
        return record, unpacked(pack_beats(record, make_detection(record, steps)), len(rr_ms))

    return found


def test_times_of_a_day_never_drift(packed):
    rr_ms = np.random.default_rng(0).uniform(300, 1500, 96_000).astype(np.float32)
    record, (onset_s, lasts_ms, _, _) = packed(rr_ms)
    assert onset_s[-1] > 86_000
    assert np.abs(onset_s - record.onset_s()).max() <= TICK_MS / 2000 + 1e-9
    assert np.abs(lasts_ms - rr_ms).max() <= TICK_MS + 1e-3


def test_whole_milliseconds_are_exact(packed):
    rr_ms = np.random.default_rng(1).integers(200, 2000, 5000).astype(np.int32)
    record, (onset_s, lasts_ms, _, _) = packed(rr_ms)
    assert lasts_ms.tolist() == rr_ms.tolist()
    assert onset_s == pytest.approx(record.onset_s(), abs=1e-9)


@pytest.mark.parametrize("gap_ms", [10_000, 16_383, 16_384, 20_000, 3_600_000, 86_400_000])
def test_beats_after_a_gap_are_where_they_were(packed, gap_ms):
    rr_ms = np.array([800, gap_ms, 900, gap_ms, gap_ms, 700], np.int32)
    record, (onset_s, lasts_ms, _, _) = packed(rr_ms)
    assert onset_s == pytest.approx(record.onset_s(), abs=1e-9)
    assert lasts_ms.tolist() == np.minimum(rr_ms, LONGEST_TICKS * TICK_MS).tolist()


def test_each_file_begins_at_its_own_time(packed):
    rr_ms = np.array([800, 810, 820, 830, 840, 850], np.int32)
    onsets = (12.5, 100.0, 90_000.125)
    record, (onset_s, lasts_ms, _, _) = packed(rr_ms, files=(0, 2, 5), onsets=onsets)
    assert onset_s[[0, 2, 5]].tolist() == list(onsets)
    assert onset_s == pytest.approx(record.onset_s(), abs=1e-9)
    assert lasts_ms.tolist() == rr_ms.tolist()


def test_one_beat_and_intervals_of_nothing(packed):
    _, (onset_s, lasts_ms, decision, likely) = packed(np.array([900], np.int32))
    assert (onset_s.tolist(), lasts_ms.tolist()) == ([0.0], [900.0])
    assert (decision.tolist(), likely.tolist()) == ([0], [UNKNOWN])
    _, (onset_s, lasts_ms, _, _) = packed(np.array([0, 0, 500], np.int32))
    assert (onset_s.tolist(), lasts_ms.tolist()) == ([0.0, 0.0, 0.0], [0.0, 0.0, 500.0])


def test_decisions_and_probabilities_go_with_their_beats(packed):
    steps = [(0.0, 2.0, 0.0), (2.0, 4.0, 1.0), (5.0, 6.0, 0.5)]
    _, (_, _, decision, likely) = packed(np.full(7, 1000, np.int32), steps)
    assert decision.tolist() == [1, 1, 2, 2, 0, 2, 0]
    assert likely.tolist() == [0, 0, 250, 250, UNKNOWN, 125, UNKNOWN]

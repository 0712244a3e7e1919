import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.records import GAP_MS, Overview, Record, Rhythm, RhythmError, Span, ValueRangeError
from pacl.records.errors import LayoutError
from support.refusals import refused


def record(rr, starts=(0,), onsets=(0.0,), spans=None, dtype=np.int32) -> Record:
    rr_ms = np.array(rr, dtype=dtype)
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.array(starts, dtype=np.int64),
        file_onset_s=np.array(onsets, dtype=np.float64),
        spans=spans or (Span(0, rr_ms.size, Rhythm.SR),),
        digest="",
        source="somewhere",
    )


def test_beats_begin_where_the_one_before_ends_and_files_at_their_onset():
    found = record([800, 900, 1000, 700], starts=(0, 2), onsets=(1.5, 100.0))
    assert found.onset_s().tolist() == [1.5, 2.3, 100.0, 101.0]
    assert found.duration_s == 3.4
    assert found.file_bounds() == [(0, 2), (2, 4)]


def test_gaps_and_files_end_a_stretch():
    rr = [800, 515_400, 800, 0, 900, 20_000, 20_000, 5]
    found = record(rr, starts=(0, 4), onsets=(0.0, 600.0))
    assert found.gaps().tolist() == [1, 5, 6]
    assert found.stretches() == [(0, 1), (2, 4), (4, 5), (7, 8)]


def test_ten_seconds_are_a_pause_and_more_is_a_gap():
    assert record([GAP_MS, GAP_MS + 1]).gaps().tolist() == [1]


@given(
    st.lists(st.sampled_from([0, 800, 12_000]), min_size=1, max_size=30),
    st.sets(st.integers(1, 29)),
)
def test_stretches_hold_every_beat_but_gaps_and_cross_nothing(rr, cuts):
    starts = (0, *sorted(cut for cut in cuts if cut < len(rr)))
    found = record(rr, starts, [0.0] * len(starts))
    stretches = found.stretches()
    covered = [beat for start, stop in stretches for beat in range(start, stop)]
    assert covered == [beat for beat, value in enumerate(rr) if value <= GAP_MS]
    assert not any(start < cut < stop for start, stop in stretches for cut in starts)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_an_unknown_or_negative_interval_is_refused_by_its_place(bad):
    with refused(ValueRangeError, "somewhere", "beat 1"):
        record([800, bad, 700], dtype=np.float32)


def test_no_beats_and_wrong_types_are_refused():
    with refused(ValueRangeError, "RR interval"):
        record([])
    with refused(ValueRangeError, "int32", "float32", "int64"):
        record([800], dtype=np.int64)


@pytest.mark.parametrize(
    "spans",
    [
        (Span(0, 2, Rhythm.SR),),
        (Span(0, 2, Rhythm.SR), Span(1, 3, Rhythm.AF)),
        (Span(0, 1, Rhythm.SR), Span(2, 3, Rhythm.AF)),
        (Span(0, 4, Rhythm.SR),),
        (Span(0, 0, Rhythm.SR), Span(0, 3, Rhythm.SR)),
    ],
)
def test_spans_that_do_not_tile_are_refused(spans):
    with refused(RhythmError, "pacl.records.tile"):
        record([800, 800, 800], spans=spans)


@pytest.mark.parametrize("starts", [(1,), (0, 0), (0, 3), ()])
def test_files_without_beats_are_refused(starts):
    with pytest.raises(LayoutError):
        record([800, 800, 800], starts=starts, onsets=[0.0] * len(starts))


@given(
    st.lists(st.integers(0, 15_000), min_size=1, max_size=30),
    st.sets(st.integers(1, 29)),
    st.lists(st.integers(0, 30), max_size=10),
    st.sampled_from([np.int32, np.float32]),
)
def test_some_beats_begin_when_all_of_them_say(rr, cuts, beats, dtype):
    starts = (0, *sorted(cut for cut in cuts if cut < len(rr)))
    onsets = [1e6 * file + 0.5 for file in range(len(starts))]
    found = record(rr, starts, onsets, dtype=dtype)
    beats = np.array([beat for beat in beats if beat < len(rr)], dtype=np.int64)
    assert np.allclose(found.begins_s(beats), found.onset_s()[beats], rtol=0, atol=1e-6)
    sums = [sum(rr[:beat]) / 1000 for beat in beats]
    assert np.allclose(found.elapsed_s(beats), sums, rtol=0, atol=1e-6)


@given(
    st.lists(st.integers(0, 5000), min_size=1, max_size=30),
    st.integers(0, 29),
    st.integers(0, 60_000),
)
def test_the_beat_after_some_time_is_the_first_that_late(rr, beat, after_ms):
    beat = min(beat, len(rr) - 1)
    late = [at for at in range(beat, len(rr)) if sum(rr[beat:at]) >= after_ms]
    assert record(rr).beat_after(beat, after_ms / 1000) == (late[0] if late else len(rr))


def test_the_beat_after_many_beats():
    assert record([100] * 50_000).beat_after(10, 4000.0) == 40_010


def test_a_pause_between_files_is_counted_with_the_gaps():
    found = record([800, 900, 1000], starts=(0, 2), onsets=(0.0, 101.7))
    assert found.pauses_s().tolist() == pytest.approx([100.0])
    counted = Overview.of(found)
    assert (counted.gaps, counted.gap_s) == (1, pytest.approx(100.0))
    assert Overview.of(record([800, 900, 1000], starts=(0, 2), onsets=(0.0, 11.6))).gaps == 0


def test_beats_below_and_above_the_plausible_are_counted_and_gaps_are_not():
    found = Overview.of(record([199, 200, 2000, 2001, GAP_MS, GAP_MS + 1]))
    assert found.implausible == 3
    assert found.gaps == 1


def test_beats_cannot_be_written_to():
    with refused(ValueError, "read-only"):
        record([800]).rr_ms[0] = 5

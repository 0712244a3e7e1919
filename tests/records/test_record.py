import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.records import GAP_MS, Record, Rhythm, RhythmError, Span, ValueRangeError
from pacl.records.errors import LayoutError


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
    with pytest.raises(ValueRangeError, match=r"somewhere.*at beat 1; repair or remove"):
        record([800, bad, 700], dtype=np.float32)


def test_no_beats_and_wrong_types_are_refused():
    with pytest.raises(ValueRangeError, match="no RR interval"):
        record([])
    with pytest.raises(ValueRangeError, match="int32 or float32, got int64"):
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
    with pytest.raises(RhythmError, match=r"pacl\.records\.tile"):
        record([800, 800, 800], spans=spans)


@pytest.mark.parametrize("starts", [(1,), (0, 0), (0, 3), ()])
def test_files_without_beats_are_refused(starts):
    with pytest.raises(LayoutError):
        record([800, 800, 800], starts=starts, onsets=[0.0] * len(starts))

"""Spans as recordings give them: beats, gaps, and what does not count."""

import numpy as np
import pytest

from pacl.detect.scoring.compared import (
    annotated_as,
    annotated_spans,
    compared_spans,
    in_beats,
    middles_s,
)
from pacl.records import Record, Rhythm, Span
from pacl.spans import TOUCHING_S, joined
from support.detections import detection
from support.recordings import make_record

SR, AF, OTHER, UNKNOWN = Rhythm


def test_a_beat_is_where_its_middle_is():
    beats_s = np.array([0.5, 1.5, 2.5, 3.5])
    spans = joined([(0.0, 2.0 - TOUCHING_S / 2), (2.4, 2.6), (2.7, 3.0), (3.2, 9.0)])
    assert in_beats(spans, beats_s).tolist() == [[0, 2], [2, 3], [3, 3], [3, 4]]
    assert in_beats(spans, np.empty(0)).tolist() == [[0, 0]] * 4


def test_middles_of_beats_cross_files_in_order_of_time():
    record = make_record([(Rhythm.SR, 4)], [1000, 500, 800, 600], files=(0, 2), pause_s=10.0)
    assert middles_s(record) == pytest.approx([0.5, 1.25, 11.9, 12.6])


def test_flutter_gaps_and_what_is_not_annotated_or_not_judged_count_as_neither():
    rhythms = [Rhythm.SR, Rhythm.AF, Rhythm.OTHER, Rhythm.AF, Rhythm.UNKNOWN, Rhythm.OTHER]
    marks = ["(N", "(AFIB", "(AFL", "(AFIB", "", "(B"]
    rr_ms = np.full(60, 1000, dtype=np.int32)
    rr_ms[55] = 20_000  # no signal from 55 s to 75 s
    record = Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.zeros(1, np.int64),
        file_onset_s=np.zeros(1),
        spans=tuple(
            Span(10 * at, 10 * at + 10, rhythm, mark)
            for at, (rhythm, mark) in enumerate(zip(rhythms, marks, strict=True))
        ),
        digest="",
        source="memory",
    )
    found = compared_spans(
        record, detection([(5, 40), (40, 55), (75, 77), (77, 78)], [(12.0, 33.0)])
    )
    assert found.true.tolist() == [[10, 20], [30, 40]]
    assert found.detected.tolist() == [[12, 33]]
    assert found.counted.tolist() == [[5, 20], [30, 40], [50, 55], [75, 78]]
    assert found.beats_s[[0, 54, 55, 56]].tolist() == [0.5, 54.5, 65.0, 75.5]


def test_what_is_not_judged_leaves_the_episode_whole():
    record = make_record([(Rhythm.SR, 10), (Rhythm.AF, 30), (Rhythm.SR, 10)])
    found = compared_spans(record, detection([(0, 20), (25, 50)]))
    assert found.true.tolist() == [[10, 40]]
    assert found.counted.tolist() == [[0, 20], [25, 50]]


@pytest.mark.parametrize(("pause_s", "true"), [(0.0, [[10, 40]]), (60.0, [[10, 25], [85, 100]])])
def test_time_between_files_ends_an_episode_if_there_is_any(pause_s, true):
    record = make_record(
        [(Rhythm.SR, 10), (Rhythm.AF, 30), (Rhythm.SR, 10)], files=(0, 25), pause_s=pause_s
    )
    assert compared_spans(record, detection([(0, 500)])).true.tolist() == true


def test_neighbouring_spans_of_af_are_one_episode_and_calibration_does_not_count():
    record = make_record(
        [(Rhythm.SR, 10), (Rhythm.AF, 10), (Rhythm.AF, 10), (Rhythm.SR, 10)], lead_in_s=4.0
    )
    found = compared_spans(record, detection([(0, 40)]))
    assert found.true.tolist() == [[10, 30]]
    assert found.counted.tolist() == [[4, 40]]


def test_nothing_annotated_and_nothing_judged():
    unknown = make_record([(Rhythm.UNKNOWN, 30)])
    found = compared_spans(unknown, detection([(0, 30)], [(0.0, 30.0)]))
    assert (len(found.true), len(found.detected), len(found.counted)) == (0, 1, 0)
    known = make_record([(Rhythm.AF, 30)])
    found = compared_spans(known, detection([]))
    assert (len(found.true), len(found.detected), len(found.counted)) == (1, 0, 0)


def marked(*spans):
    record = make_record([(SR, spans[-1][1])])
    object.__setattr__(record, "spans", tuple(Span(*one) for one in spans))
    return record


@pytest.mark.parametrize(
    ("flutter", "unmarked", "af", "known"),
    [
        ("left-out", "left-out", [[20, 30]], [[10, 30], [40, 50]]),
        ("as-af", "left-out", [[20, 40]], [[10, 50]]),
        ("as-not-af", "left-out", [[20, 30]], [[10, 50]]),
        ("left-out", "as-not-af", [[20, 30]], [[0, 30], [40, 50]]),
    ],
)
@pytest.mark.parametrize("mark", ["(AFL", "afl"])
def test_what_is_af_and_what_is_known(flutter, unmarked, af, known, mark):
    record = marked(
        (0, 10, UNKNOWN), (10, 20, SR, "(N"), (20, 30, AF), (30, 40, OTHER, mark), (40, 50, OTHER)
    )
    found = annotated_spans(annotated_as(record, flutter, unmarked))
    assert found.af.tolist() == af
    assert found.known.tolist() == known


def test_flutter_that_was_read_as_af_stays_af():
    record = marked((0, 10, SR, "(N"), (10, 20, AF, "(AFL"))
    assert annotated_as(record, "as-not-af").spans == record.spans

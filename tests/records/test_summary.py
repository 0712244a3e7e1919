import itertools

import numpy as np
import pytest

from pacl.records import Record, Rhythm, Span
from pacl.records.summary import segment_starts, segment_statistics, summarise


def record(rr_ms: list[int], spans: tuple[Span, ...], files: tuple[int, ...] = (0,)) -> Record:
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=np.array(rr_ms, dtype=np.int32),
        file_starts=np.array(files),
        file_onset_s=np.zeros(len(files)),
        spans=spans,
        digest="",
        source="test",
    )


def oracle(segment: np.ndarray) -> list[float]:
    kept = [float(value) for value in segment if 200 <= value <= 2000]
    steps = [
        abs(float(b) - float(a))
        for a, b in itertools.pairwise(segment)
        if 200 <= a <= 2000 and 200 <= b <= 2000
    ]
    mean = sum(kept) / len(kept)
    sdnn = (sum((value - mean) ** 2 for value in kept) / (len(kept) - 1)) ** 0.5
    rmssd = (sum(step**2 for step in steps) / len(steps)) ** 0.5
    return [mean, sdnn, rmssd, sum(step > 50 for step in steps) / len(steps)]


def test_by_hand():
    table = segment_statistics(np.array([[800, 860, 810, 2500, 900, 910]], dtype=np.int32))
    # kept 800 860 810 900 910; steps 60 50 | 10: 2500 takes both its steps with it
    deviations = np.array([-56, 4, -46, 44, 54])
    expected = [856, np.sqrt((deviations**2).sum() / 4), np.sqrt((3600 + 2500 + 100) / 3), 1 / 3]
    np.testing.assert_allclose(table[0], expected)


def test_equals_a_plain_loop():
    generator = np.random.default_rng(3)
    segments = generator.integers(0, 300, (7, 50)).astype(np.int32) * 8
    np.testing.assert_allclose(segment_statistics(segments), [oracle(row) for row in segments])


def test_a_segment_mostly_implausible_has_no_statistics():
    assert np.isnan(segment_statistics(np.array([[100, 100, 100, 800]]))).all()


def test_segments_cross_no_rhythm_no_file_and_no_gap():
    rr = [800] * 30
    rr[22] = 20_000
    spans = (Span(0, 9, Rhythm.SR), Span(9, 30, Rhythm.AF))
    made = record(rr, spans, files=(0, 13))
    assert segment_starts(made, Rhythm.SR, 4).tolist() == [0, 4]
    # AF 9..30 is cut by the file at 13 and the gap at 22: 9..13, 13..22, 23..30
    assert segment_starts(made, Rhythm.AF, 4).tolist() == [9, 13, 17, 23]


def test_rhythms_are_told_apart_and_short_ones_left_out():
    rr = [800, 820] * 10 + [500, 600] * 10
    both = summarise(record(rr, (Span(0, 20, Rhythm.SR), Span(20, 40, Rhythm.AF))), 10)
    assert [(each.rhythm, each.segments) for each in both] == [(Rhythm.SR, 2), (Rhythm.AF, 2)]
    assert [each.mean_ms for each in both] == [810, 550]
    assert [each.pnn50 for each in both] == [0, 1]
    assert both[0].rmssd_ms == pytest.approx(20)
    assert summarise(record(rr, (Span(0, 5, Rhythm.AF), Span(5, 40, Rhythm.OTHER))), 10) == ()

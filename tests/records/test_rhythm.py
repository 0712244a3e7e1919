from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pacl.records import Rhythm, Span, runs, tile
from pacl.records.rhythm import per_beat


def test_tile_fills_before_between_and_after():
    spans = [Span(2, 4, Rhythm.AF, "AF"), Span(4, 4, Rhythm.OTHER), Span(6, 7, Rhythm.AF)]
    assert tile(spans, 9, Rhythm.SR) == (
        Span(0, 2, Rhythm.SR),
        Span(2, 4, Rhythm.AF, "AF"),
        Span(4, 6, Rhythm.SR),
        Span(6, 7, Rhythm.AF),
        Span(7, 9, Rhythm.SR),
    )


def test_runs_join_sinus_rhythm_and_sinus_bradycardia():
    spans = (Span(0, 3, Rhythm.SR, "(N"), Span(3, 5, Rhythm.SR, "(SBR"), Span(5, 6, Rhythm.AF))
    assert runs(spans) == (Span(0, 5, Rhythm.SR), Span(5, 6, Rhythm.AF))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(Rhythm))))
def test_tiles_cover_every_beat_once_and_runs_keep_every_rhythm(steps):
    spans, at = [], 0
    for pause, length, rhythm in steps:
        spans.append(Span(at + pause, at + pause + length, rhythm))
        at += pause + length
    tiles = tile(spans, at + 3, Rhythm.UNKNOWN)
    expected = [Rhythm.UNKNOWN] * (at + 3)
    for span in spans:
        expected[span.start : span.stop] = [span.rhythm] * len(span)
    assert per_beat(tiles).tolist() == expected
    assert per_beat(runs(tiles)).tolist() == expected
    joined = runs(tiles)
    assert all(a.rhythm is not b.rhythm for a, b in pairwise(joined))

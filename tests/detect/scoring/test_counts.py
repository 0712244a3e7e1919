"""Segments of 30 s: the edges of what is AF and of what counts; loops are in the agreement."""

import pytest

from pacl.detect.scoring.counts import Counts, count_segments
from pacl.spans import joined
from support.detections import counts

NOTHING = joined([])


@pytest.mark.parametrize(
    ("af_s", "counted_s", "expected"),
    [
        (15.0, 30.0, counts(1, 1, 0, 0)),
        (14.9, 30.0, counts(1, 0, 0, 0)),
        (7.5, 15.0, counts(1, 1, 0, 0)),
        (14.9, 14.9, Counts()),
    ],
)
def test_half_of_what_counts_is_enough(af_s, counted_s, expected):
    counted = joined([(0.0, counted_s)])
    assert count_segments(joined([(0.0, af_s)]), NOTHING, counted) == expected
    swapped = Counts(expected.counted, expected.called, expected.af, expected.both)
    assert count_segments(NOTHING, joined([(0.0, af_s)]), counted) == swapped


def test_the_grid_begins_with_the_recording_not_with_what_counts():
    # 20 s in each of two segments, though 40 s from their own start on would be one and a bit.
    found = count_segments(joined([(30.0, 50.0)]), NOTHING, joined([(10.0, 50.0)]))
    assert found == counts(2, 1, 0, 0)


def test_a_pause_of_years_costs_nothing():
    late = 1e10
    found = count_segments(NOTHING, NOTHING, joined([(0.0, 60.0), (late, late + 60.0)]))
    assert found.counted in (3.0, 4.0)  # the later ones may not lie on the grid


def test_nothing_counted():
    assert count_segments(joined([(0.0, 60.0)]), NOTHING, NOTHING) == Counts()

import math

from pacl.report.recording.decisions import Decision
from pacl.report.recording.poincare import compute_poincare, draw_poincare


def test_pairs_are_neighbours_of_which_the_same_was_said(make):
    """No pair holds the gap, an implausible beat, or a beat of each kind."""
    make_record, make_detection = make
    record = make_record([600, 700, 800, 100, 900, 20_000, 1000, 1010])
    found = make_detection(record, [(0.0, 1.3, 0.9), (1.3, 3.1, 0.1), (23.1, 25.11, 0.1)])
    picture = compute_poincare(record, found)
    af, other = picture.clouds[Decision.AF], picture.clouds[Decision.NOT_AF]
    assert (af.pairs, af.mean_ms) == (1, 600.0)
    assert af.counts.sum() == af.counts[20, 25] == 1  # cells of 20 ms from 200 ms on
    assert (other.pairs, other.mean_ms) == (1, 1000.0)
    assert other.counts[40, 40] == 1
    assert picture.top_ms == 1100.0


def test_there_may_be_no_af_or_nothing_at_all(make):
    make_record, make_detection = make
    record = make_record([800] * 10)
    for steps, outside in ([(0.0, 10.0, 0.1)], 9), ([], 0):
        picture = compute_poincare(record, make_detection(record, steps))
        assert picture.clouds[Decision.AF].pairs == 0
        assert math.isnan(picture.clouds[Decision.AF].mean_ms)
        assert picture.clouds[Decision.NOT_AF].pairs == outside
        left, right = draw_poincare(picture).axes
        assert left.get_title(loc="left") == "in AF: none"
        assert right.get_title(loc="left").startswith("outside AF: 9 pairs, 75/min") == (
            outside == 9
        )
        assert left.get_xlim() == left.get_ylim() == right.get_xlim()

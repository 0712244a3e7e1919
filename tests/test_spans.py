"""Spans: by hand, against a grid of seconds, and against a loop."""

import numpy as np
import pytest

from pacl.spans import (
    TOUCHING_S,
    intersect,
    joined,
    numbers_in,
    overlaps,
    runs,
    seconds_before,
    total_s,
)

SECONDS = 60


def grid(spans):
    """Which seconds lie in spans, one by one."""
    return [any(start <= at < end for start, end in spans) for at in range(SECONDS)]


def drawn(generator, most=6):
    """Spans of whole seconds, in any order, overlapping or not."""
    starts = generator.integers(0, SECONDS, int(generator.integers(most)))
    return [(float(at), float(min(at + generator.integers(0, 15), SECONDS))) for at in starts]


def test_what_touches_or_overlaps_is_one_and_what_is_empty_is_none():
    spans = [(50.0, 60.0), (0.0, 10.0), (10.0, 12.0), (11.0, 11.5), (30.0, 30.0), (20.0, 21.0)]
    assert joined(spans).tolist() == [[0, 12], [20, 21], [50, 60]]
    assert joined([]).shape == (0, 2)


def test_rounding_neither_parts_spans_nor_makes_them():
    assert joined([(0.0, 1.0), (1.0 + TOUCHING_S / 2, 2.0)]).tolist() == [[0, 2]]
    assert len(joined([(0.0, 1.0), (1.0 + 3 * TOUCHING_S, 2.0)])) == 2
    one, other = joined([(0.0, 1.0 + TOUCHING_S / 2)]), joined([(1.0, 2.0)])
    assert len(intersect(one, other)) == 0
    assert overlaps(one, other).tolist() == [False]


def joined_one_by_one(spans):
    found = []
    for start, end in sorted(spans):
        if end - start <= TOUCHING_S:
            continue
        if found and start - found[-1][1] <= TOUCHING_S:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


@pytest.mark.parametrize("seed", range(30))
def test_joined_against_a_loop_with_spans_that_nearly_touch(seed):
    generator = np.random.default_rng(seed)
    steps = generator.choice([0.0, TOUCHING_S / 2, TOUCHING_S, 2 * TOUCHING_S, 0.5, 2.0], (40, 2))
    ends = np.cumsum(steps, axis=None).reshape(-1, 2)
    ends[:, 1] += generator.choice([0.0, 1.0], 40)  # some reach into the next
    ends = generator.permutation(ends)
    expected = joined_one_by_one(ends.tolist())
    assert joined(ends).tolist() == expected
    assert joined(map(tuple, ends.tolist())).tolist() == expected


def test_to_touch_is_not_to_overlap():
    spans = joined([(0.0, 10.0), (20.0, 30.0), (40.0, 50.0)])
    assert overlaps(spans, joined([(10.0, 20.0), (49.0, 60.0)])).tolist() == [False, False, True]
    assert overlaps(spans, joined([])).tolist() == [False] * 3
    assert overlaps(joined([]), spans).tolist() == []


@pytest.mark.parametrize("seed", range(60))
def test_against_a_grid_of_seconds(seed):
    generator = np.random.default_rng(seed)
    raw, raw_other = drawn(generator), drawn(generator)
    one, other = joined(raw), joined(raw_other)
    assert grid(one) == grid(raw)
    shared = [a and b for a, b in zip(grid(raw), grid(raw_other), strict=True)]
    assert grid(intersect(one, other)) == shared
    assert total_s(one) == sum(grid(raw))
    assert total_s(intersect(one, other)) == sum(shared)
    assert overlaps(one, other).tolist() == [
        any(shared[at] for at in range(int(start), int(end))) for start, end in one
    ]


def test_spans_of_whole_beats_stay_whole():
    spans = joined(np.array([[5, 9], [0, 5], [20, 20], [30, 40]]))
    assert spans.dtype == np.int64
    assert spans.tolist() == [[0, 9], [30, 40]]
    shared = intersect(spans, np.array([[0, 3], [3, 32], [40, 50]]))
    assert shared.dtype == np.int64
    assert shared.tolist() == [[0, 3], [3, 9], [30, 32]]


def test_seconds_before_by_hand():
    spans = joined([(10.0, 20.0), (30.0, 35.0)])
    at_s = np.array([0.0, 10.0, 15.0, 25.0, 31.0, 99.0])
    assert seconds_before(spans, at_s).tolist() == [0, 0, 5, 10, 11, 15]
    assert seconds_before(joined([]), at_s).tolist() == [0] * 6


def test_runs_and_numbers_by_hand():
    assert list(runs(np.array([True, False, True, True]))) == [(0, 1), (2, 4)]
    assert list(runs(np.zeros(0, bool))) == []
    assert numbers_in(np.array([7, 2]), np.array([2, 3])).tolist() == [7, 8, 2, 3, 4]

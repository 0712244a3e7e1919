"""Marks painted over each other."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.detect import DetectError, Mark, painted
from support.refusals import refused

KINDS = ("af", "not-af", "sinus", "exclude")


@st.composite
def marks(draw):
    start = draw(st.integers(0, 40))
    return Mark(draw(st.sampled_from(KINDS)), float(start), start + draw(st.integers(1, 15)) + 0.0)


def on_a_grid(some):
    """The kind of each second, painted one mark after the other."""
    found = np.full(80, "", dtype=object)
    for one in some:
        found[int(one.start_s) : int(one.end_s)] = one.kind
    return found.tolist()


@settings(derandomize=True, deadline=None)
@given(st.lists(marks(), max_size=12))
def test_the_last_mark_counts_at_each_moment(some):
    assert on_a_grid(painted(some)) == on_a_grid(some)


@settings(derandomize=True, deadline=None)
@given(st.lists(marks(), max_size=12))
def test_they_are_in_order_apart_and_joined(some):
    found = painted(some)
    for one, after in pairwise(found):
        assert one.end_s <= after.start_s
        assert one.end_s < after.start_s or one.kind != after.kind
    assert painted(found) == found


def test_nothing_stays_nothing():
    assert painted([]) == ()


@pytest.mark.parametrize(
    ("start_s", "end_s"), [(5.0, 5.0), (6.0, 5.0), (math.nan, 5.0), (0.0, math.inf)]
)
def test_a_mark_without_time_is_refused(start_s, end_s):
    with refused(DetectError, "mark"):
        Mark("af", start_s, end_s)

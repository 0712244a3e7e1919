"""Tachograms: intervals in time, thinned without losing extremes."""

import numpy as np

from pacl.report.tachogram import thinned


def test_extremes_are_kept_when_dots_are_left_out():
    values = np.full(10_000, 800)
    values[[1234, 7777]] = 1900, 300
    kept = thinned(values, 400)
    assert kept.size <= 400
    assert {1234, 7777, 0, 9999} <= set(kept.tolist())
    assert np.all(np.diff(kept) > 0)
    assert np.diff(kept).max() < 100
    assert thinned(values, 10_000).size == 10_000

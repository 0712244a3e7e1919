"""Cells of the map by hand (Lian et al. 2011)."""

import numpy as np
import pytest

from pacl.rivals.beats import BeatRivalError, Lian
from pacl.rivals.beats.lian import filled_cells
from support.refusals import refused


def test_cells_by_hand():
    """Points (810, 10), (815, 5), (800, -15): the first two share a cell, the last is below 0."""
    assert filled_cells(np.array([800.0, 810, 815, 800]), 4).tolist() == [2.0]


def test_the_length_of_an_interval_counts_as_well_as_its_change():
    rr_ms = np.array([800.0, 800, 900, 900])  # (800, 0), (900, 100), (900, 0)
    assert filled_cells(rr_ms, 4).tolist() == [3.0]


def test_an_interval_is_plotted_with_the_change_that_led_to_it():
    """801, 814 and 824 share a cell; the intervals before them, 791, 801 and 814, do not."""
    assert filled_cells(np.array([791.0, 801, 814, 824]), 4).tolist() == [1.0]


@pytest.mark.parametrize(("window_beats", "threshold"), [(32, 23), (64, 40), (128, 65)])
def test_the_published_thresholds(window_beats, threshold):
    """A steady heart fills one cell."""
    rr_ms = np.full(window_beats, 800, np.float32)
    assert Lian(window_beats).logits(rr_ms).tolist() == [1 - threshold] * window_beats


def test_a_window_without_a_threshold_is_refused():
    with refused(BeatRivalError, "window_beats 100", "32, 64, 128"):
        Lian(100)

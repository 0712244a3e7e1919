import numpy as np
import pytest

from pacl.report.recording import compute_tachogram, draw_tachogram
from pacl.report.recording.decisions import Said
from pacl.report.recording.tachogram import thinned


def test_intervals_stand_where_they_are_and_a_gap_is_none(make):
    make_record, make_detection = make
    record = make_record([1000, 1000, 20_000, 500, 500])
    found = make_detection(record, [(0.0, 2.0, 0.9)], [(0.0, 2.0, 0.9)])
    picture = compute_tachogram(record, found)
    assert picture.rr_ms.tolist() == [1000, 1000, 500, 500]
    assert (picture.onset_h * 3600).tolist() == pytest.approx([0, 1, 22, 22.5])
    assert picture.said.tolist() == [Said.AF, Said.AF, Said.NOTHING, Said.NOTHING]
    assert picture.af_h == ((0.0, 2 / 3600),)
    assert picture.silent_h == ((2 / 3600, 23 / 3600),)


def test_extremes_are_kept_when_dots_are_left_out():
    values = np.full(10_000, 800)
    values[[1234, 7777]] = 1900, 300
    kept = thinned(values, 400)
    assert kept.size <= 400
    assert {1234, 7777, 0, 9999} <= set(kept.tolist())
    assert np.all(np.diff(kept) > 0)
    assert np.diff(kept).max() < 100
    assert thinned(values, 10_000).size == 10_000


def test_drawn_with_a_row_a_day(make):
    make_record, make_detection = make
    record = make_record([1000] * 4, files=(0, 2), onsets=(0.0, 100_000.0))
    figure = draw_tachogram(compute_tachogram(record, make_detection(record, [])))
    assert len(figure.axes) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["not judged"]


def test_drawn_in_the_names_of_what_there_is(night):
    figure = draw_tachogram(compute_tachogram(*night))
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["not AF", "AF", "not judged"]
    (axes,) = figure.axes
    assert axes.get_xlim() == (0.0, 3.0)
    assert axes.get_xlabel() == "time of day"

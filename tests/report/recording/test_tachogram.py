import pytest

from pacl.report.recording.decisions import Decision
from pacl.report.recording.tachogram import (
    compute_detection_tachogram,
    draw_detection_tachogram,
)


def test_intervals_are_at_their_time_and_a_gap_is_none(make):
    make_record, make_detection = make
    record = make_record([1000, 1000, 20_000, 500, 500])
    found = make_detection(record, [(0.0, 2.0, 0.9)], [(0.0, 2.0, 0.9)])
    picture = compute_detection_tachogram(record, found)
    assert picture.dots.rr_ms.tolist() == [1000, 1000, 500, 500]
    assert (picture.dots.onset_h * 3600).tolist() == pytest.approx([0, 1, 22, 22.5])
    assert picture.dots.kind.tolist() == [*[Decision.AF] * 2, *[Decision.NOT_JUDGED] * 2]
    assert picture.af_h == ((0.0, 2 / 3600),)
    assert picture.not_judged_h == ((2 / 3600, 23 / 3600),)


def test_drawn_with_one_row_per_day(make):
    make_record, make_detection = make
    record = make_record([1000] * 4, files=(0, 2), onsets=(0.0, 100_000.0))
    picture = compute_detection_tachogram(record, make_detection(record, []))
    figure = draw_detection_tachogram(picture)
    assert len(figure.axes) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["not judged"]


def test_the_legend_has_the_decisions_that_occur(night):
    figure = draw_detection_tachogram(compute_detection_tachogram(*night))
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["not AF", "AF", "not judged"]
    (axes,) = figure.axes
    assert axes.get_xlim() == (0.0, 3.0)
    assert axes.get_xlabel() == "time of day"

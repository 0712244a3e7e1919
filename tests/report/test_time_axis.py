from datetime import datetime

import pytest

from pacl.report.time_axis import MOST_ROWS, MOST_TICKS, TimeAxis

STARTED = datetime(2024, 2, 28, 22, 30)


def test_ticks_are_round_times_of_the_clock():
    axis = TimeAxis(((0.0, 9.0),), STARTED)
    ticks = axis.ticks(0.0, 9.0)
    assert [text for _, text in ticks][:3] == ["23:00", "00:00", "01:00"]
    assert [at for at, _ in ticks][:2] == pytest.approx([0.5, 1.5])
    assert axis.label == "time of day"
    assert axis.day(2.0) == "Thu 29 Feb 2024"


def test_without_a_clock_they_count_from_the_start():
    axis = TimeAxis(((0.0, 0.5),), None)
    assert [text for _, text in axis.ticks(0.0, 0.5)] == ["0", "5", "10", "15", "20", "25", "30"]
    assert axis.label == "minutes from the start of the recording"
    assert TimeAxis(((0.0, 9.0),), None).label == "hours from the start of the recording"


@pytest.mark.parametrize("hours", [0.01, 1.0, 7.0, 25.9, 26.1, 72.0, 168.0, 1000.0, 300_000.0])
@pytest.mark.parametrize("started", [None, STARTED])
def test_rows_hold_all_of_it(hours, started):
    axis = TimeAxis(((1.0, 1.0 + hours),), started)
    rows = axis.rows()
    assert len(rows) <= MOST_ROWS
    assert rows[0][0] == 1.0
    assert rows[-1][0] < axis.to_h <= rows[-1][1] + 1e-9
    for low, high in rows:
        ticks = [at for at, _ in axis.ticks(low, high)]
        assert len(ticks) <= MOST_TICKS + 1
        assert all(low - 1e-6 <= at <= high + 1e-6 for at in ticks)


YEARS_H = 24 * 365 * 24.0


def test_a_jump_of_years_is_left_out(make):
    make_record, _ = make
    record = make_record([1000] * 600, "a", STARTED, (0, 300), (0.0, YEARS_H * 3600))
    axis = TimeAxis.of(record)
    assert [round(high - low, 4) for low, high in axis.blocks] == [0.0833, 0.0833]
    assert axis.rows() == tuple((low, low + axis.rows()[0][1]) for low, _ in axis.blocks)
    assert axis.day(axis.rows()[1][0]).endswith("2048")
    assert "more than a day" in axis.note
    assert axis.shown_h([(300.0, YEARS_H * 3600)]) == ()
    assert len(axis.shown_h([(290.0, YEARS_H * 3600), (10.0, 20.0)])) == 2
    assert all(len(axis.ticks(*row)) <= MOST_TICKS + 1 for row in axis.rows())


def test_what_lies_less_than_a_day_apart_is_one_block(make):
    make_record, _ = make
    axis = TimeAxis.of(make_record([1000] * 600, "a", None, (0, 300), (0.0, 23 * 3600.0)))
    assert len(axis.blocks) == 1
    assert axis.note == ""


def test_of_many_blocks_the_longest_are_drawn(make):
    make_record, _ = make
    beats = [10 * (at + 1) for at in range(12)]
    files = [sum(beats[:at]) for at in range(12)]
    onsets = [at * 3 * 86_400.0 for at in range(12)]
    axis = TimeAxis.of(make_record([1000] * sum(beats), "a", STARTED, files, onsets))
    assert len(axis.rows()) == MOST_ROWS
    assert axis.left_out == 5
    assert axis.from_h == 5 * 72.0
    assert "7 longest of 12" in axis.note


@pytest.mark.parametrize("days", [3.0, 30.0, 3000.0])
def test_rows_of_several_blocks_hold_all_of_them(days):
    blocks = ((0.0, days * 24), (days * 48, days * 48 + 1.0), (days * 72, days * 84))
    rows = TimeAxis(blocks, STARTED).rows()
    assert len(rows) <= MOST_ROWS
    for low, high in blocks:
        inside = [row for row in rows if low <= row[0] < high]
        assert inside[0][0] == low
        assert inside[-1][1] >= high - 1e-9


def test_rows_of_weeks_have_dates():
    axis = TimeAxis(((0.0, 24.0 * 200),), STARTED)
    assert axis.label == "date"
    assert axis.ticks(*axis.rows()[0])[0][1] == "02 Mar"

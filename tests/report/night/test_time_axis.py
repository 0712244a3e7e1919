from datetime import datetime

import pytest

from pacl.report.night.time_axis import MOST_ROWS, MOST_TICKS, TimeAxis

STARTED = datetime(2024, 2, 28, 22, 30)


def test_ticks_are_round_times_of_the_clock():
    axis = TimeAxis(0.0, 9.0, STARTED)
    ticks = axis.ticks(0.0, 9.0)
    assert [text for _, text in ticks][:3] == ["23:00", "00:00", "01:00"]
    assert [at for at, _ in ticks][:2] == pytest.approx([0.5, 1.5])
    assert axis.label == "time of day"
    assert axis.day(2.0) == "Thu 29 Feb 2024"


def test_without_a_clock_they_count_from_the_start():
    axis = TimeAxis(0.0, 0.5, None)
    assert [text for _, text in axis.ticks(0.0, 0.5)] == ["0", "5", "10", "15", "20", "25", "30"]
    assert axis.label == "minutes from the start of the recording"
    assert TimeAxis(0.0, 9.0, None).label == "hours from the start of the recording"


@pytest.mark.parametrize("hours", [0.01, 1.0, 7.0, 25.9, 26.1, 72.0, 168.0, 1000.0])
@pytest.mark.parametrize("started", [None, STARTED])
def test_rows_hold_all_of_it(hours, started):
    axis = TimeAxis(1.0, 1.0 + hours, started)
    rows = axis.rows()
    assert len(rows) <= MOST_ROWS
    assert rows[0][0] == 1.0
    assert rows[-1][0] < axis.to_h <= rows[-1][1] + 1e-9
    for low, high in rows:
        ticks = [at for at, _ in axis.ticks(low, high)]
        assert len(ticks) <= MOST_TICKS + 1
        assert all(low - 1e-6 <= at <= high + 1e-6 for at in ticks)

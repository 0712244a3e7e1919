"""The row of a judged recording, and its AF by calendar days."""

from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.detect import Detector
from pacl.records import Rhythm, open_records
from pacl.report.index import Day, days_of, row_of
from support.detections import detection
from support.recordings import make_record as recorded


def test_a_row_has_the_numbers_of_the_detection(night):
    record, found = night
    row = row_of(record, found, "key", edits=2, has_ecg=True, page="night.html")
    assert (row.key, row.name, row.patient, row.page) == ("key", "night", "night", "night.html")
    assert (row.status, row.error, row.edits, row.has_ecg) == ("ready", None, 2, True)
    assert row.started == "2024-02-28T22:30:00"
    assert (row.duration_s, row.recorded_s, row.judged_s, row.af_s) == (10_800, 10_800, 9000, 3600)
    assert (row.verdict, row.episodes, row.longest_s, row.beats) == ("AF", 1, 3600, 10_800)
    assert row.af_burden == pytest.approx(0.4)
    assert row.judged_share == pytest.approx(9000 / 10_800)
    assert any("too <noisy>" in note for note in row.notes)


def test_days_are_divided_at_midnight(night):
    # 22:30 to 23:30 not AF, 23:30 to 0:30 AF, 1:00 to 1:30 not AF: 30 min of AF on each day.
    assert days_of(*night) == (
        Day("2024-02-28", 1800.0, 5400.0),
        Day("2024-02-29", 1800.0, 3600.0),
    )


def test_without_a_clock_there_is_one_day_without_a_date(night):
    record, detection = (replace(one, started=None) for one in night)
    row = row_of(record, detection, "key")
    assert row.started is None
    assert row.days == (Day(None, 3600.0, 9000.0),)


def test_a_day_on_which_nothing_was_judged_is_there(make):
    make_record, make_detection = make
    started = datetime(2024, 12, 31, 23, 0)
    record = make_record([1000] * 7200, started=started)
    detection = make_detection(record, [(0.0, 600.0, 0.1)])
    assert days_of(record, detection) == (
        Day("2024-12-31", 0.0, 600.0),
        Day("2025-01-01", 0.0, 0.0),
    )
    nothing = make_detection(record, [])
    assert [day.judged_s for day in days_of(record, nothing)] == [0.0, 0.0]
    assert row_of(record, nothing, "key").longest_s is None


def test_a_recording_that_ends_at_midnight_has_no_second_day(make):
    make_record, make_detection = make
    record = make_record([1000] * 3600, started=datetime(2024, 5, 1, 23, 0))
    found = days_of(record, make_detection(record, [(0.0, 3600.0, 0.9)]))
    assert found == (Day("2024-05-01", 3600.0, 3600.0),)


def test_days_without_recording_are_left_out(make):
    make_record, make_detection = make
    record = make_record(
        [1000] * 200, started=datetime(2024, 1, 1, 12), files=(0, 100), onsets=(0.0, 3 * 86_400.0)
    )
    steps = [(0.0, 100.0, 0.9), (3 * 86_400.0, 3 * 86_400.0 + 100, 0.9)]
    found = days_of(record, make_detection(record, steps))
    assert [(day.date, day.af_s) for day in found] == [("2024-01-01", 100.0), ("2024-01-04", 100.0)]


@settings(max_examples=50, derandomize=True, deadline=None)
@given(
    hour=st.integers(0, 23),
    lasts_s=st.lists(st.integers(10, 30_000), min_size=1, max_size=12),
    af=st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_days_add_up_to_the_whole(hour, lasts_s, af):
    edges = np.append(0, np.cumsum(lasts_s)).astype(float)
    record = replace(
        recorded([(Rhythm.UNKNOWN, sum(lasts_s) // 10 + 1)], 10_000),
        started=datetime(2026, 3, 28, hour, 17, 3),
    )
    called = np.array(af[: len(lasts_s)])
    found = replace(
        detection(list(pairwise(edges))),
        started=record.started,
        af=called,
        judged_s=float(edges[-1]),
        af_s=float(np.array(lasts_s)[called].sum()),
    )
    days = days_of(record, found)
    assert sum(day.judged_s for day in days) == pytest.approx(found.judged_s)
    assert sum(day.af_s for day in days) == pytest.approx(found.af_s)
    assert all(0 <= day.af_s <= day.judged_s <= 86_400 for day in days)
    assert [day.date for day in days] == sorted({day.date for day in days})


@pytest.mark.real
def test_a_real_recording_over_midnight(data):
    record = open_records(data / "ltafdb" / "00").read("00")
    detection = Detector().detect(record)
    row = row_of(record, detection, "00")
    assert [day.date for day in row.days] == ["2003-01-31", "2003-02-01"]
    assert sum(day.judged_s for day in row.days) == pytest.approx(detection.judged_s, abs=0.01)
    assert sum(day.af_s for day in row.days) == pytest.approx(detection.af_s, abs=0.01)

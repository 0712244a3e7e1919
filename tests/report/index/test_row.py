"""Rows as plain values, and back; what is no row is refused."""

import json

import pytest

from pacl.report.index import Day, RecordingRow, RowError

READY = RecordingRow(
    key="k",
    name="night <1>",
    patient="Änne",
    status="ready",
    started="2026-04-01T21:30:00",
    duration_s=100.0,
    recorded_s=100.0,
    judged_s=90.0,
    af_s=9.0,
    judged_share=0.9,
    af_burden=0.1,
    verdict="AF",
    beats=120,
    episodes=1,
    longest_s=9.0,
    edits=2,
    notes=("a note",),
    days=(Day("2026-04-01", 9.0, 90.0),),
)


@pytest.mark.parametrize(
    "row",
    [READY, RecordingRow.waiting("k", "n", "p", "n.html"), RecordingRow.failed("k", "n", "why")],
)
def test_a_row_comes_back_from_json(row):
    assert RecordingRow.from_dict(json.loads(json.dumps(row.to_dict()))) == row


def test_a_row_moves_to_another_index_with_nothing_else_changed():
    moved = READY.at("other", "other.html")
    assert (moved.key, moved.page) == ("other", "other.html")
    assert moved.at("k") == READY


def test_a_failed_row_says_why_and_has_no_numbers():
    row = RecordingRow.failed("k", "n", ValueError("n.csv: no intervals"), "p")
    assert (row.status, row.error, row.patient) == ("failed", "n.csv: no intervals", "p")
    assert row.af_burden is row.duration_s is row.verdict is None


@pytest.mark.parametrize(
    "change",
    [
        {"status": "done"},
        {"af_burden": "much"},
        {"days": [{"date": 3, "af_s": 1, "judged_s": 1}]},
        {"verdict": None},
        {"from the future": 1},
    ],
)
def test_what_does_not_fit_is_refused(change):
    with pytest.raises(RowError, match=next(iter(change)).split(" ")[0]):
        RecordingRow.from_dict(READY.to_dict() | change)


def test_other_values_than_rows_are_refused():
    for value in (3, [1], "text", None, {}):
        with pytest.raises(RowError):
            RecordingRow.from_dict(value)

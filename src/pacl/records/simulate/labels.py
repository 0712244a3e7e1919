"""The rows of IRIDIA-AF's three tables, for a simulated recording."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import numpy as np

from pacl.axes import Array, Int64
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm
from pacl.records.simulate.detector import GRID_MS
from pacl.records.simulate.patient import Patient
from pacl.records.simulate.recording import SimulatedRecord

Row = tuple[object, ...]
"""Cells in the order of the columns."""

RR_COLUMNS = ("start_file_index", "start_rr_index", "end_file_index", "end_rr_index")
ECG_COLUMNS = (
    *("start_datetime", "start_file_index", "start_qrs_index"),
    *("end_datetime", "end_file_index", "end_qrs_index"),
    *("af_duration", "nsr_before_duration"),
)
METADATA_COLUMNS = (
    *("patient_id", "patient_sex", "patient_age", "record_id", "record_date"),
    *("record_start_time", "record_end_time", "record_timedelta"),
    *("record_files", "record_seconds", "record_samples"),
)


def rr_rows(record: Record) -> list[Row]:
    """AF episodes as half-open beats local to their files.

    An episode that lasts to the end of the recording ends at the index of the last interval,
    one short of half-open: so it is in the 48 records of IRIDIA-AF that end in AF.
    """
    rows: list[Row] = []
    for start, stop in af_runs(record):
        first, last = _file_of(record, start), _file_of(record, stop - 1)
        end = stop - 1 if stop == len(record) else stop
        ends = (first, start - record.file_starts[first], last, end - record.file_starts[last])
        rows.append(tuple(map(int, ends)))
    return rows


def ecg_rows(record: Record, started: datetime) -> list[Row]:
    """The same episodes as ECG samples, with their durations in seconds."""
    rows: list[Row] = []
    at_ms = _elapsed_ms(record)
    free_since = 0
    for start, stop in af_runs(record):
        first, last = _file_of(record, start), _file_of(record, stop - 1)
        start_ms, stop_ms = int(at_ms[start]), int(at_ms[stop])
        row = (
            _iso(started, start_ms),
            first,
            (start_ms - int(at_ms[record.file_starts[first]])) // GRID_MS,
            _iso(started, stop_ms),
            last,
            (stop_ms - int(at_ms[record.file_starts[last]])) // GRID_MS,
            (stop_ms - start_ms) // 1000,
            (start_ms - free_since) // 1000,
        )
        rows.append(row)
        free_since = stop_ms
    return rows


def metadata_row(patient: Patient, age: int, simulated: SimulatedRecord) -> Row:
    """A record's row of the metadata; its end is the one before the noisy tail was cut."""
    timeline, record = simulated.timeline, simulated.record
    lasted = timeline.seconds + timeline.trimmed_s
    over_ms = int(_elapsed_ms(record)[-1]) - 1000 * timeline.seconds
    return (
        *(patient.patient_id, patient.sex, age, record.record_id),
        timeline.started.date().isoformat(),
        timeline.started.isoformat(),
        (timeline.started + timedelta(seconds=lasted)).isoformat(),
        lasted,
        record.file_starts.size,
        timeline.seconds,
        200 * timeline.seconds + max(0, min(over_ms // GRID_MS, 192)),
    )


def csv_text(columns: Row, rows: Iterable[Row]) -> str:
    """Comma-separated lines under a header, LF at the end of each; no cell needs quoting."""
    return "".join(",".join(map(str, row)) + "\n" for row in (columns, *rows))


def af_runs(record: Record) -> list[tuple[int, int]]:
    """First beat and one past the last of each AF episode."""
    runs = record.rhythm_runs()
    return [(span.start, span.stop) for span in runs if span.rhythm is Rhythm.AF]


def _file_of(record: Record, beat: int) -> int:
    return int(np.searchsorted(record.file_starts, beat, side="right")) - 1


def _elapsed_ms(record: Record) -> Int64[Array, "edge"]:
    """When each interval begins, and as the last value when the recording ends."""
    return np.append(0, np.cumsum(record.rr_ms, dtype=np.int64))


def _iso(started: datetime, after_ms: int) -> str:
    return (started + timedelta(seconds=after_ms // 1000)).isoformat()

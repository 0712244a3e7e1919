"""From the bytes of a text file to a record."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from pacl.records.content import digest
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm
from pacl.records.text.beat_to_beat import check_beat_to_beat
from pacl.records.text.columns import choose, find_column
from pacl.records.text.divide import Part, choose_part, divide, dividing_columns
from pacl.records.text.formats import read_export
from pacl.records.text.rhythm import read_spans
from pacl.records.text.start import choose_start, started_by_name
from pacl.records.text.table import Table, decode, read_table
from pacl.records.text.time import read_timing
from pacl.records.text.validity import flag_columns, invalid_rows, mask
from pacl.records.text.values import Unit, in_ms, missing

MAX_BYTES = 256 * 1024**2
"""Above this a file is no text of RR intervals."""


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How a text file is to be read, where the file leaves it open.

    Parameters
    ----------
    column, time_column, rhythm_column
        Columns by name or by number counting from 1, where they are not found by their names.
        `""` for the last two reads without times or rhythms.
    patient_column
        Column of the patient, which divides a file into recordings; `""` divides by no column.
    valid_column
        Column in which 1 or true marks a valid interval; with `""` all intervals are valid.
    unit
        Unit of the intervals; `"auto"` depends on the column's name and the median.
    rhythms
        Additional labels, or other meanings of the usual labels.
    allow_zero
        Keep intervals of 0 instead of refusing them.
    allow_smoothed
        Read intervals that look resampled, averaged or computed from heart rate.
    start
        When the recording began, in ISO 8601, for a single recording without a clock.
    """

    column: str | int | None = None
    time_column: str | int | None = None
    rhythm_column: str | int | None = None
    patient_column: str | int | None = None
    valid_column: str | int | None = None
    unit: Unit = "auto"
    rhythms: Mapping[str, Rhythm] | None = None
    allow_zero: bool = False
    allow_smoothed: bool = False
    start: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """The table of a file, the recordings in it, and the digest of its bytes.

    `others` are the columns that divide the table or mark intervals: none of them holds intervals.
    """

    table: Table
    parts: Mapping[str, Part]
    others: frozenset[int]
    digest: str


def parse_rr(
    content: bytes,
    source: str,
    *,
    record_id: str | None = None,
    patient_id: str | None = None,
    part: str | None = None,
    **options: Any,
) -> Record:
    r"""Read RR intervals from the bytes of a text file.

    Parameters
    ----------
    source
        The file, for messages; its stem is the default of `record_id`.
    record_id, patient_id
        Names of the record and the patient. The default patient is that of a column, else the
        record.
    part
        Which recording, where the file holds several: the patient, session or record by name.
    options
        See `TextOptions`.

    Examples
    --------
    >>> from pacl.records.text import parse_rr
    >>> parse_rr(b"Phone timestamp;RR-interval [ms]\n2026-04-01T09:00:00.000;832\n", "a.txt")
    Record('a', patient 'a': 1 intervals, 0.0 h, 1 file(s))
    """
    how = TextOptions(**options)
    sheet = read_sheet(content, source, how)
    chosen = choose_part(sheet.parts, part, source)
    stem = Path(source).stem
    patient_id = patient_id or chosen.patient or record_id or chosen.owner(stem)
    record_id = record_id or "/".join(filter(None, (stem, chosen.name)))
    return build_record(sheet, chosen, source, how, record_id, patient_id)


def read_sheet(content: bytes, source: str, how: TextOptions) -> Sheet:
    """Read the table of a file, and find the recordings in it."""
    if len(content) > MAX_BYTES:
        raise FormatError(
            source,
            f"{len(content):,} bytes, expected at most {MAX_BYTES:,}",
            "split the file or check that it is the right one",
        )
    if how.unit not in get_args(Unit):
        raise ValueRangeError(source, f"unit {how.unit!r} asked for", 'use "auto", "ms" or "s"')
    text = decode(content, source)
    table = read_export(text, source) or read_table(text, source)
    asked = {
        find_column(table, source, how.column, "column"),
        find_column(table, source, how.time_column, "time_column"),
        find_column(table, source, how.rhythm_column, "rhythm_column"),
    }
    columns = dividing_columns(table, source, how.patient_column, asked)
    others = {*columns.all(), *flag_columns(table, source, how.valid_column)}
    parts = divide(table, source, columns)
    return Sheet(table, parts, frozenset(others), digest([("text", content)]))


def build_record(
    sheet: Sheet, part: Part, source: str, how: TextOptions, record_id: str, patient_id: str
) -> Record:
    """Read one recording of a file."""
    alone = len(sheet.parts) == 1
    table = sheet.table if alone else sheet.table.take(part.rows.tolist())
    where = source if alone else f"{source} ({part.name})"
    chosen = choose(table, where, how.column, how.time_column, how.rhythm_column, sheet.others)
    invalid = invalid_rows(table, where, how.valid_column)
    unknown = invalid & missing(table, chosen.rr)
    rr_ms = in_ms(table, chosen.rr, where, how.unit, invalid | how.allow_zero, unknown)
    timing = read_timing(table, chosen.times, rr_ms, unknown, where)
    if not how.allow_smoothed:
        check_beat_to_beat(rr_ms[~invalid], where)
    by_name = started_by_name(Path(source).stem) if alone else None
    masked = mask(rr_ms, invalid, timing.file_starts)
    named = [("table", sheet.digest.encode()), ("part", part.name.encode())]
    return Record(
        patient_id=patient_id,
        record_id=record_id,
        rr_ms=masked.rr_ms.astype(np.float32),
        file_starts=masked.moved(timing.file_starts),
        file_onset_s=timing.file_onset_s,
        spans=masked.spans(read_spans(table, chosen.rhythm, how.rhythms, where)),
        digest=sheet.digest if alone else digest(named),
        source=where,
        started=choose_start(timing.started, by_name, how.start, where),
    )

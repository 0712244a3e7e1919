"""From the bytes of a text file to a record."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pacl.records.content import digest
from pacl.records.errors import FormatError
from pacl.records.record import Record
from pacl.records.text.averages import refuse_app
from pacl.records.text.beat_times import intervals_of_beats
from pacl.records.text.beat_to_beat import check_beat_to_beat
from pacl.records.text.columns import choose, find_column, names_rr
from pacl.records.text.divide import Part, choose_part, divide, dividing_columns
from pacl.records.text.formats import read_export
from pacl.records.text.options import TextOptions
from pacl.records.text.preamble import read_below_preamble
from pacl.records.text.rhythm import read_spans
from pacl.records.text.spread import one_row_an_interval
from pacl.records.text.start import choose_start, started_by_name
from pacl.records.text.table import Table, decode, read_table
from pacl.records.text.time import read_timing
from pacl.records.text.validity import flag_columns, invalid_rows, mask
from pacl.records.text.values import in_ms, missing, refuse_signal

MAX_BYTES = 256 * 1024**2
"""Above this a file is no text of RR intervals."""


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
    how.check(source)
    text = decode(content, source)
    table = _read(text, source, asked=how.column is not None)
    table = one_row_an_interval(table, source, how.column)
    asked = {
        find_column(table, source, how.column, "column"),
        find_column(table, source, how.time_column, "time_column"),
        find_column(table, source, how.rhythm_column, "rhythm_column"),
    }
    columns = dividing_columns(table, source, how.patient_column, asked)
    others = {*columns.all(), *flag_columns(table, source, how.valid_column)}
    parts = divide(table, source, columns)
    return Sheet(table, parts, frozenset(others), digest([("text", content)]))


def _read(text: str, source: str, asked: bool) -> Table:
    """The table of a known export, one below lines about it, or a plain one."""
    table = read_export(text, source) or read_below_preamble(text, source)
    if table is not None:
        return table
    try:
        table = read_table(text, source)
    except FormatError as error:
        refuse_app(text, source, error)
        raise
    if table.names and not names_rr(table.names) and not asked:
        refuse_app(text, source)
    return table


def build_record(
    sheet: Sheet, part: Part, source: str, how: TextOptions, record_id: str, patient_id: str
) -> Record:
    """Read one recording of a file."""
    alone = len(sheet.parts) == 1
    table = sheet.table if alone else sheet.table.take(part.rows.tolist())
    where = source if alone else f"{source} ({part.name})"
    others: frozenset[int] = sheet.others
    invalid = invalid_rows(table, where, how.valid_column)
    beats = intervals_of_beats(table, where, how, others, invalid)
    if beats is not None:
        table, how, others = beats.table, beats.options, frozenset()
        invalid = invalid_rows(table, where, how.valid_column)
    chosen = choose(table, where, how.column, how.time_column, how.rhythm_column, others)
    unknown = invalid & missing(table, chosen.rr)
    rr_ms = in_ms(table, chosen.rr, where, how.unit, invalid, unknown, how.allow_zero)
    refuse_signal(rr_ms[~invalid], where)
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

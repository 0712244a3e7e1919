"""An ECG in text: Apple's export, logs of straps, and any table of voltages."""

import math
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.ecg import Ecg, Segment
from pacl.records.content import HEAD_BYTES, digest, read_first_bytes
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.signals.leads import check_decoded_size
from pacl.records.signals.source_file import SourceFile
from pacl.records.signals.text_clock import (
    clock_seconds,
    kind_of,
    over_midnight,
    unix_time,
    wall_clock,
)
from pacl.records.signals.text_columns import ColumnReader, pieces
from pacl.records.signals.text_head import EcgHead, encoding_of, read_ecg_head
from pacl.records.signals.text_roles import Roles, roles_of, title_of
from pacl.records.signals.text_times import RATES_HZ, Pace, in_seconds, pace_of, seconds_per
from pacl.records.signals.units import millivolts_per, scale_by_size

MAX_TEXT_BYTES = 1024**3
"""Above this a text is not read: a week of one lead at 250 Hz."""

_SAME_RATE = 0.05
_NO_RATE = "give the sampling rate in Hz, as in --sampling-rate 250"


def read_text_ecg(
    path: Path,
    *,
    column: str | None = None,
    fs_hz: float | None = None,
    lead: str | None = None,
) -> Ecg:
    """Read an ECG from a text file.

    Parameters
    ----------
    path
        Apple's ECG export; a log of a strap (Polar, Movesense); any table with columns of voltages,
        with or without times; or one number a line.
    column
        The column to read, by its name or its number from 1. By default the columns that are named
        as leads or in a unit of voltage, or the only one there is.
    fs_hz
        Samples per second. By default as the head of the file states, else by the column of times;
        it is never guessed.
    lead
        One of the leads, by its name or its number from 1.

    Notes
    -----
    Where time passes between two rows, a new segment begins, see `pace_of`. A unit that is not
    stated is judged by the size of the samples, see `scale_by_size`. An empty cell, or `NaN`, is a
    missing sample.
    """
    source = str(path)
    if fs_hz is not None and not RATES_HZ[0] <= fs_hz <= RATES_HZ[1]:
        raise ValueRangeError(
            source,
            f"a sampling rate of {fs_hz:g} Hz, expected {RATES_HZ[0]:g} to {RATES_HZ[1]:g}",
            _NO_RATE,
        )
    first = read_first_bytes(path, HEAD_BYTES)
    head = read_ecg_head(first, source)
    ask = fs_hz is None or len(head.rates_hz) == 1  # a given rate decides between several
    stated = _stated_rate(head, source) if ask else None
    if fs_hz is not None and stated is not None and abs(fs_hz / stated - 1) > _SAME_RATE:
        raise ValueRangeError(
            source,
            f"a sampling rate of {fs_hz:g} Hz was given, the file states {stated:g} Hz",
            "leave it out (--sampling-rate)",
        )
    fs_hz = stated if fs_hz is None else fs_hz
    roles = roles_of(head, column, lead, source)
    with SourceFile(path, MAX_TEXT_BYTES) as file:
        rows = _read(file, encoding_of(first), head, roles)
        fingerprint = file.fingerprint()
    pace = rows.pace(fs_hz)
    if pace is None:
        if fs_hz is None:
            raise FormatError(source, "no sampling rate, and no times in a known unit", _NO_RATE)
        pace = Pace(fs_hz, np.zeros(1, np.int64), np.zeros(1))
    millivolts = rows.millivolts()
    stops = [*pace.starts[1:].tolist(), millivolts.shape[1]]
    return Ecg(
        fs_hz=float(pace.fs_hz),
        leads=roles.names,
        segments=tuple(
            Segment(float(onset_s), millivolts[:, start:stop])
            for start, stop, onset_s in zip(
                pace.starts.tolist(), stops, pace.onset_s.tolist(), strict=True
            )
        ),
        digest=digest([("text", fingerprint)]),
        source=source,
        started=rows.started() or head.started,
    )


def _stated_rate(head: EcgHead, source: str) -> float | None:
    """The sampling rate of the head; refuse where it states several."""
    if len(head.rates_hz) > 1:
        rates = " and ".join(f"{rate:g}" for rate in head.rates_hz[:4])
        raise FormatError(source, f"its head states {rates} Hz", _NO_RATE)
    return head.rates_hz[0] if head.rates_hz else None


@dataclass(slots=True)
class _Rows:
    """What was read so far: samples of each lead, and times."""

    head: EcgHead
    roles: Roles
    source: str
    values: list[Float32[Array, "lead row"]] = field(default_factory=list)
    times: list[Float64[Array, "row"]] = field(default_factory=list)
    first_row: list[str] = field(default_factory=list)

    @property
    def first_time(self) -> str:
        """The time of the first row, as it is written."""
        return "" if self.roles.time is None else self.first_row[self.roles.time]

    def pace(self, fs_hz: float | None) -> Pace | None:
        """Rate and gaps by the times; nothing where there are none."""
        at = self.roles.time
        if at is None or not self.times:
            return None
        times = np.concatenate(self.times)
        self.times = [times[:1].copy()]  # the others are held once
        title = f"column {title_of(self.head, at)!r}"
        at_s: Float64[Array, "row"] | None = times
        if kind := kind_of(self.first_time):
            at_s = over_midnight(times) if kind == "clock" else times
        else:
            at_s = in_seconds(times, self.head.units[at], fs_hz)
        return None if at_s is None else pace_of(at_s, fs_hz, title, self.source)

    def millivolts(self) -> Float32[Array, "lead sample"]:
        """All samples in millivolts."""
        found = np.concatenate(self.values, axis=1)
        self.values.clear()
        for row, unit in enumerate(self.roles.units):
            scale = millivolts_per(unit)
            if scale is None:
                scale = scale_by_size(found[row], self.source)
            found[row] *= np.float32(scale)
        return found

    def started(self) -> datetime | None:
        """Wall-clock time of the first sample, where a column has it."""
        if self.roles.wall is not None:
            return wall_clock(self.first_row[self.roles.wall])
        if self.roles.time is None or not self.times or kind_of(self.first_time):
            return None
        unit = seconds_per(self.head.units[self.roles.time])
        counts = float(self.times[0][0]) * np.array([unit] if unit else [1, 1e-3, 1e-6, 1e-9])
        return next(filter(None, map(unix_time, counts.tolist())), None)


def _read(file: SourceFile, encoding: str, head: EcgHead, roles: Roles) -> _Rows:
    """Read all rows; only the columns that are needed become numbers."""
    rows = _Rows(head, roles, str(file.path))
    reader = ColumnReader(head, rows.source)
    total, before = 0, head.skipped
    for piece in pieces(file, encoding):
        if before:
            parts = piece.split(b"\n", before)
            before -= len(parts) - 1
            piece = parts[-1]
        here = reader.load(piece)
        if not here:
            continue
        if not rows.first_row:
            rows.first_row = reader.first_row()
        found = np.empty((len(roles.columns), here), np.float32)
        for row, at in enumerate(roles.columns):
            with np.errstate(over="ignore"):
                found[row] = reader.numbers(at, title_of(head, at))
        if roles.is_packed:
            found = found.T.reshape(1, -1)
        rows.values.append(found)
        if roles.time is not None:
            times = _times(reader, roles.time, rows)
            rows.times.append(np.repeat(times, len(roles.columns)) if roles.is_packed else times)
        total += found.shape[1]
        check_decoded_size(len(roles.names), total, rows.source)
    if not total or not any(np.isfinite(part).any() for part in rows.values):
        raise FormatError(rows.source, "no samples", "leave the file out")
    return rows


def _times(reader: ColumnReader, at: int, rows: _Rows) -> Float64[Array, "row"]:
    if kind_of(rows.first_time):
        return clock_seconds(reader.cells(at), rows.first_time, reader.line_of(0), rows.source)
    found = reader.numbers(at, title_of(rows.head, at))
    if math.isnan(float(found.sum())):
        row = int(np.argmax(np.isnan(found)))
        raise ValueRangeError(
            f"{rows.source} line {reader.line_of(row)}", "a row without time", "remove the row"
        )
    return found

"""When beats came, from a column of times: where recording paused, and when it began."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.records.errors import ValueRangeError
from pacl.records.record import GAP_MS
from pacl.records.text.clock import check_clock
from pacl.records.text.packets import are_packets, caught_up, out_of_order, packet_onsets_s
from pacl.records.text.table import Table
from pacl.records.text.values import MS_PER, name_and_unit, numbers

_ISO = re.compile(r"\d{4}-?\d\d-?\d\d[T ]\d")
_PLAIN_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}$")
_CLOCK = re.compile(r"(\d{1,3}):(\d\d)(?::(\d\d(?:[.,]\d+)?))?")
_KINDS = ("iso", "clock", "number", "other", "date")  # the first that a column has is taken
_AS_ZERO = str.maketrans("123456789", "000000000")
_DAY_S = 86_400.0
EPOCH_S = (1e9, 4e9)
"""A count of seconds in here, 2001 to 2096, is Unix time."""

_WITHOUT = "convert it, or read without times with time_column=''"


@dataclass(frozen=True, slots=True)
class Timing:
    """Contiguous files found through the times, and wall-clock time of second 0."""

    file_starts: Int64[Array, "file"]
    file_onset_s: Float64[Array, "file"]
    started: datetime | None


def read_timing(
    table: Table,
    columns: tuple[int, ...],
    rr_ms: Float64[Array, "beat"],
    unknown: Bool[Array, "beat"],
    source: str,
) -> Timing:
    """Split beats where time jumps by more than `GAP_MS` beyond the interval.

    They are also split after intervals of `unknown` length, which count as 0 without a clock.

    ```
    time   10.0  10.8  11.6      95.2  96.0
    rr       .8    .8    .8  gap   .8    .8
           |--- file 0 ---|     |- file 1 -|
    ```

    Times mark where an interval begins (Polar, HRV Logger) or ends (Kubios): the better fit counts.
    Times of packets mark when they arrived, see `pacl.records.text.packets`.
    """
    after_unknown = unknown[:-1] & ~unknown[1:]
    chosen = _most_precise(table, columns)
    if chosen is None:
        starts = np.append(0, np.flatnonzero(after_unknown) + 1)
        return Timing(starts, np.append(0, np.cumsum(rr_ms))[starts] / 1000, table.started)
    column, kind = chosen
    at_s, started = _read_times(kind, table, column, rr_ms, source)
    steps_ms = np.diff(at_s) * 1000
    if (at := out_of_order(at_s, rr_ms)) is not None:
        raise ValueRangeError(
            f"{source} line {table.line_numbers[at]}",
            f"time goes backwards in column {table.title(column)}, to "
            f"{table.columns[column][at].strip()[:40]!r}",
            "sort the lines or read without times with time_column=''",
        )
    jumps = steps_ms - np.maximum(rr_ms[:-1], rr_ms[1:]) > GAP_MS
    if jumps.any():
        found = np.flatnonzero(jumps)
        jumps[found[caught_up(at_s, rr_ms, found, GAP_MS / 1000)]] = False
    if 2 * np.count_nonzero(jumps) > jumps.size > 2:
        raise ValueRangeError(
            source,
            f"time moves by {np.median(steps_ms):g} ms a beat in column {table.title(column)}, "
            f"the intervals are {np.median(rr_ms):g} ms",
            "name the unit in the header, as in 'time [ms]', or read without times with "
            "time_column=''",
        )
    aside = jumps | unknown[:-1] | unknown[1:]
    misfit_begin = np.abs(steps_ms - rr_ms[:-1])[~aside].sum()
    misfit_end = np.abs(steps_ms - rr_ms[1:])[~aside].sum()
    marks_end = bool(misfit_end < misfit_begin)
    intervals = rr_ms[1:] if marks_end else rr_ms[:-1]
    check_clock(steps_ms, intervals, aside, table.title(column), source)
    starts = np.append(0, np.flatnonzero(jumps | after_unknown) + 1).astype(np.int64)
    if are_packets(at_s, rr_ms):
        onset_s = packet_onsets_s(at_s, rr_ms, starts)
    else:
        onset_s = at_s[starts] - (rr_ms[starts] / 1000 if marks_end else 0.0)
    if started is not None:
        started += timedelta(seconds=float(onset_s[0]))
    return Timing(starts, onset_s - onset_s[0], started or table.started)


def _read_times(
    kind: str, table: Table, column: int, rr_ms: Float64[Array, "beat"], source: str
) -> tuple[Float64[Array, "beat"], datetime | None]:
    """Seconds since the first row, and the wall-clock time of that where it is known."""
    if kind == "iso":
        return _read_iso(table, column, source)
    if kind == "clock":
        return _read_clock(table, column, source), None
    if kind == "number":
        return _read_number(table, column, rr_ms, source)
    raise _unreadable(table, column, 0, source)


def read_times(kind: str, table: Table, column: int, source: str) -> Float64[Array, "beat"]:
    """Seconds since the first row, of a column of `iso` or `clock` times."""
    found = _read_iso(table, column, source)[0] if kind == "iso" else None
    return _read_clock(table, column, source) if found is None else found


def _most_precise(table: Table, columns: tuple[int, ...]) -> tuple[int, str] | None:
    kinds = [
        (_KINDS.index(kind_of(table.columns[column][0].strip())), column) for column in columns
    ]
    if not kinds:
        return None
    rank, column = min(kinds)
    kind = _KINDS[rank]
    return None if kind == "date" and len(columns) > 1 else (column, kind)


def kind_of(cell: str) -> str:
    """What a cell of a time column holds: `iso`, `clock`, `date`, `number` or `other`."""
    if _ISO.match(cell):
        return "iso"
    if _CLOCK.fullmatch(cell):
        return "clock"
    if _DATE.fullmatch(cell):
        return "date"
    return "number" if re.fullmatch(r"[-+]?[\d.,]+([eE][-+]?\d+)?", cell) else "other"


def _read_iso(table: Table, column: int, source: str) -> tuple[Float64[Array, "beat"], datetime]:
    cells = table.columns[column]
    found: list[datetime] = []
    try:
        found.append(datetime.fromisoformat(_without_blanks(cells[0])))
        if found[0].year < 1900:
            raise _unreadable(table, column, 0, source)
        if (even := _even_seconds(cells)) is not None:
            return even, found[0]
        for cell in cells[1:]:
            found.append(datetime.fromisoformat(_without_blanks(cell)))
        return np.array([(at - found[0]).total_seconds() for at in found]), found[0]
    except (ValueError, OverflowError):
        raise _unreadable(table, column, len(found), source) from None
    except TypeError:  # some have a time zone, some have none
        zoned = [at.tzinfo is None for at in found]
        raise _unreadable(table, column, zoned.index(not zoned[0]), source) from None


def _read_clock(table: Table, column: int, source: str) -> Float64[Array, "beat"]:
    cells = table.columns[column]
    seconds = _even_seconds([f"1970-01-01T{cell}" for cell in cells])
    if seconds is None:
        seconds = np.empty(len(cells))
        for at, cell in enumerate(cells):
            if not (parts := _CLOCK.fullmatch(cell.strip())):
                raise _unreadable(table, column, at, source)
            hours, minutes, rest = parts.groups(default="0")
            seconds[at] = int(hours) * 3600 + int(minutes) * 60 + float(rest.replace(",", "."))
    midnights = np.diff(seconds, prepend=seconds[0]) < -_DAY_S / 2
    found: Float64[Array, "beat"] = seconds - seconds[0] + _DAY_S * np.cumsum(midnights)
    return found


def _even_seconds(cells: Sequence[str]) -> Float64[Array, "beat"] | None:
    """Seconds since the first, quickly, where all cells are plain and have one format."""
    shape = cells[0].translate(_AS_ZERO)
    if not _PLAIN_ISO.fullmatch(cells[0]) or any(len(cell) != len(shape) for cell in cells):
        return None
    if "".join(cells).translate(_AS_ZERO) != shape * len(cells):
        return None  # a time zone, or a word that numpy would take for a time
    try:
        at = np.array(cells, dtype="datetime64[us]")
    except ValueError:
        return None  # the slow way finds the line
    seconds: Float64[Array, "beat"] = (at - at[0]) / np.timedelta64(1, "s")
    return seconds


def _read_number(
    table: Table, column: int, rr_ms: Float64[Array, "beat"], source: str
) -> tuple[Float64[Array, "beat"], datetime | None]:
    values = numbers(table, column, source)
    unit = name_and_unit(table.names[column])[1] if table.names else ""
    steps = np.diff(values)
    step = float(np.median(steps) or np.mean(steps)) if steps.size else 0.0
    if not unit and step > 0:
        ratio = np.median(rr_ms) / step
        unit = min(MS_PER, key=lambda name: abs(np.log(MS_PER[name] / max(ratio, 1e-300))))
    per_s = 1000 / MS_PER[unit or "s"]
    first_s = float(values[0]) / per_s
    is_epoch = EPOCH_S[0] <= first_s <= EPOCH_S[1]
    started = datetime.fromtimestamp(first_s, UTC) if is_epoch else None
    return (values - values[0]) / per_s, started


def _without_blanks(cell: str) -> str:
    """`2017-11-07 07:54:10 +0000`, as HRV Logger writes it, without the second blank."""
    return cell.strip().replace(" +", "+").replace(" -", "-").replace(" Z", "Z")


def _unreadable(table: Table, column: int, at: int, source: str) -> ValueRangeError:
    cell = table.columns[column][at].strip()
    return ValueRangeError(
        f"{source} line {table.line_numbers[at]}",
        f"expected a time in column {table.title(column)} (seconds, ms, HH:MM:SS or ISO 8601, "
        f"in one format), found {cell[:40]!r}",
        _WITHOUT,
    )

"""Tables of beat times: the intervals are their differences.

```
beat time [s]  rhythm          time [s]  RR [ms]  rhythm
0.4            N         ->    0.4       800      N
1.2            AFIB            1.2       700      AFIB       the rhythm of the beat that begins it
1.9            AFIB
```
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.text.beat_columns import find_beats, is_sample_name, rate_in
from pacl.records.text.columns import TIME_NAMES, find_column, names_rr, rhythm_by_name
from pacl.records.text.options import TextOptions
from pacl.records.text.table import Table
from pacl.records.text.time import EPOCH_S, kind_of, read_times
from pacl.records.text.values import MS_PER, name_and_unit, numbers, units_by_median

_NEW_FILE_S = 60.0  # a gap of 10 s is kept as an interval; more would only be a large number
_COARSE_S = 0.05
_EVEN_STEPS = 60
_HEART_MS = (200.0, 3000.0)


@dataclass(frozen=True, eq=False, slots=True)
class BeatTable:
    """A table of intervals made from beat times, and the options that fit it."""

    table: Table
    options: TextOptions


def intervals_of_beats(
    table: Table,
    source: str,
    how: TextOptions,
    others: Collection[int],
    invalid: Bool[Array, "row"],
) -> BeatTable | None:
    """Turn beat times into intervals; nothing where the table has RR intervals, or no times.

    An interval is invalid where one of its two beats is. A sampling rate is of no use to a column
    that is named like RR intervals: it may be meant for other files of the folder.
    """
    column = find_beats(table, source, how, others)
    if column is None:
        if how.sampling_rate is not None and not names_rr(table.names):
            raise FormatError(
                source,
                "a sampling rate was given, but no column holds sample numbers of beats",
                "leave it out (--sampling-rate), or choose the column with column=NAME (--column)",
            )
        return None
    at_s = _seconds(table, column, source, how)
    steps_s = np.diff(at_s)
    _check_steps(steps_s, table, column, source)
    _check_resolution(at_s, table, column, source)
    kept = np.flatnonzero(steps_s <= _NEW_FILE_S)
    if not kept.size:
        raise ValueRangeError(
            source,
            f"no two beats of column {table.title(column)} are within {_NEW_FILE_S:g} s",
            "check that it holds beat times, or choose another with column=NAME (--column)",
        )
    return _made(table, source, how, column, at_s, kept, invalid[:-1] | invalid[1:])


def _made(
    table: Table,
    source: str,
    how: TextOptions,
    column: int,
    at_s: Float64[Array, "beat"],
    kept: np.ndarray[tuple[int], np.dtype[np.intp]],
    invalid: Bool[Array, "step"],
) -> BeatTable:
    rows = kept.tolist()
    taken = table.take(rows)
    is_clock = kind_of(table.columns[column][0].strip()) in ("iso", "clock")
    times = taken.columns[column] if is_clock else [repr(float(at_s[row])) for row in rows]
    rr_ms = np.diff(at_s)[kept] * 1000
    names = ["time" if is_clock else "time [s]", "RR [ms]"]
    columns = [times, [f"{rr:.6f}" for rr in rr_ms]]
    if how.rhythm_column == "":
        rhythm = None
    else:
        asked = find_column(table, source, how.rhythm_column, "rhythm_column")
        rhythm = rhythm_by_name(table) if asked is None else asked
    if rhythm is not None:
        names.append("rhythm")
        columns.append(taken.columns[rhythm])
    if invalid.any():
        names.append("invalid")
        columns.append([str(int(invalid[row])) for row in rows])
    made = Table(tuple(names), tuple(columns), taken.line_numbers, started=table.started)
    fixed = TextOptions(
        rhythms=how.rhythms,
        allow_zero=how.allow_zero,
        allow_smoothed=how.allow_smoothed,
        start=how.start,
    )
    return BeatTable(made, fixed)


def _seconds(table: Table, column: int, source: str, how: TextOptions) -> Float64[Array, "beat"]:
    """Beat times in seconds: since the first of a clock, else as the column counts them."""
    kind = kind_of(table.columns[column][0].strip())
    if kind in ("iso", "clock"):
        return read_times(kind, table, column, source)
    values = numbers(table, column, source)
    return values / _per_second(values, table, column, source, how)


def _per_second(
    values: Float64[Array, "beat"], table: Table, column: int, source: str, how: TextOptions
) -> float:
    """How many of a column's units are one second; where that is not sure, an error."""
    title = table.names[column] if table.names else ""
    name, unit = name_and_unit(title)
    rate = how.sampling_rate or rate_in(title)
    if rate and how.sampling_rate and (unit or how.unit != "auto"):
        raise ValueRangeError(
            source,
            f"a sampling rate was given, but column {table.title(column)} is in {unit or how.unit}",
            "leave the sampling rate out (--sampling-rate)",
        )
    if rate:
        return rate
    if is_sample_name(name):
        raise ValueRangeError(
            source,
            f"column {table.title(column)} counts samples, and the sampling rate is not known",
            "give it with sampling_rate=HZ (--sampling-rate), or the times in seconds",
        )
    if how.unit != "auto" or unit:
        return 1000 / MS_PER[unit or how.unit]
    epoch = next((one for one in MS_PER if _is_epoch(float(values[0]) * MS_PER[one] / 1000)), None)
    if epoch is not None:
        return 1000 / MS_PER[epoch]
    steps = np.diff(values)
    median, fitting = units_by_median(steps[steps > 0])
    whole = bool((values == np.rint(values)).all())
    if fitting == ["s"] or (fitting == ["ms"] and (not whole or name in TIME_NAMES)):
        return 1000 / MS_PER[fitting[0]]
    raise ValueRangeError(
        source,
        f"column {table.title(column)} only rises, from {values[0]:g} to {values[-1]:g}, by "
        f"{median:g} a step: these look like beat times, but their unit is not sure",
        "give it with unit='ms' or unit='s' (--unit), or, for sample numbers, "
        "sampling_rate=HZ (--sampling-rate); or choose another column with column=NAME (--column)",
    )


def _is_epoch(first_s: float) -> bool:
    return EPOCH_S[0] <= first_s <= EPOCH_S[1]


def _check_steps(steps_s: Float64[Array, "step"], table: Table, column: int, source: str) -> None:
    if (steps_s < 0).any():
        at = int(np.argmax(steps_s < 0)) + 1
        raise ValueRangeError(
            f"{source} line {table.line_numbers[at]}",
            f"beat times go backwards in column {table.title(column)}, to "
            f"{table.columns[column][at].strip()[:40]!r}",
            "sort the lines",
        )
    median_ms = float(np.median(steps_s)) * 1000 if steps_s.size else 0.0
    if not _HEART_MS[0] <= median_ms <= _HEART_MS[1]:
        raise ValueRangeError(
            source,
            f"the times of column {table.title(column)} are {median_ms:g} ms apart (median), "
            f"expected {_HEART_MS[0]:g}-{_HEART_MS[1]:g} ms between beats",
            "check the unit (--unit) or the sampling rate (--sampling-rate), or choose another "
            "column with column=NAME (--column)",
        )


def _check_resolution(at_s: Float64[Array, "beat"], table: Table, column: int, source: str) -> None:
    """Refuse times on a grid that is too coarse for intervals, or that are evenly spaced."""
    steps_s = np.diff(at_s)
    distinct = np.unique(np.rint(steps_s[steps_s <= _NEW_FILE_S] * 1e4))
    grid_s = float(np.gcd.reduce(distinct.astype(np.int64))) / 1e4 if distinct.size else 0.0
    even = steps_s.size >= _EVEN_STEPS and distinct.size == 1
    if even or (grid_s > _COARSE_S and distinct.size > 1):
        how = "evenly spaced" if even else f"rounded to {grid_s:g} s"
        raise ValueRangeError(
            source,
            f"the times of column {table.title(column)} are {how}: they are not those of beats",
            "export the time of each beat to the millisecond, or the RR intervals",
        )

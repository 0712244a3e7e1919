"""Cells of a column as numbers, RR intervals among them in ms."""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.record import PLAUSIBLE_MS
from pacl.records.text.table import Table

Unit = Literal["auto", "ms", "s"]

MS_PER = {"s": 1000.0, "ms": 1.0, "us": 1e-3, "ns": 1e-6}
"""Milliseconds in one of each unit."""

_PLAUSIBLE_MS = (200.0, 3000.0)
_MISSING = {"", "nan", "na", "n/a", "null", "none", "-"}
_LARGEST = 1e20  # nanoseconds since 1970 are 1.8e18
_DAY_MS = 86_400_000.0
_SAMPLES, _BELOW = 250, 0.02
_FEWEST = 0.1  # of many numbers, at least this share must be beats
_RISING_BEATS = 8  # this many real intervals never all rise
_UNITS = {
    "ms": "ms",
    "msec": "ms",
    "msecs": "ms",
    "millis": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "s": "s",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "us": "us",
    "ns": "ns",
}


def name_and_unit(title: str) -> tuple[str, str]:
    """Letters of a column's name, and the unit it states: `RR-interval [ms]`, `rr_ms`, `t (s)`."""
    text = title.strip().lower()
    words = re.findall(r"[^\W\d_]+|\d+", text)
    unit = _UNITS.get(words[-1], "") if len(words) > 1 else ""
    return "".join(words[:-1] if unit else words), unit


def missing(table: Table, column: int) -> Bool[Array, "row"]:
    """Which cells of a column are empty or mark a missing number, such as NaN."""
    return np.array([cell.strip().lower() in _MISSING for cell in table.columns[column]], np.bool_)


def numbers(
    table: Table, column: int, source: str, unknown: Bool[Array, "beat"] | None = None
) -> Float64[Array, "beat"]:
    """Cells of a column as numbers, `unknown` ones as 0; any other that is none names its line."""
    cells: Sequence[str] = table.columns[column]
    if table.decimal_comma:
        cells = [cell.replace(",", ".") for cell in cells]
    if unknown is not None and unknown.any():
        cells = ["0" if skip else cell for cell, skip in zip(cells, unknown, strict=True)]
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        at = next(i for i, cell in enumerate(cells) if not _is_number(cell))
    else:
        wrong = ~(np.abs(values) < _LARGEST)  # NaN among them
        if "_" in "".join(cells):  # Python reads 8_00 as 800
            wrong |= ["_" in cell for cell in cells]
        if not wrong.any():
            return values
        at = int(np.argmax(wrong))
    cell = table.columns[column][at].strip()
    raise ValueRangeError(
        f"{source} line {table.line_numbers[at]}",
        f"expected a number in column {table.title(column)}, found {cell[:40]!r}"
        if cell
        else f"column {table.title(column)} is empty",
        "repair or remove the line: time cannot be counted across an unknown interval",
    )


def in_ms(
    table: Table,
    column: int,
    source: str,
    unit: Unit,
    invalid: Bool[Array, "beat"],
    unknown: Bool[Array, "beat"],
    allow_zero: bool,
) -> Float64[Array, "beat"]:
    """Read a column as RR intervals in ms, `unknown` ones as 0; refuse what cannot be intervals.

    An `invalid` one may be 0, and says nothing about the unit.
    """
    values = numbers(table, column, source, unknown)
    _check_rising(values[~unknown], table, column, source)
    if _looks_like_signal(values):
        raise is_signal(source, f"column {table.title(column)}")
    wrong = (values < 0) | ((values == 0) & ~(invalid | allow_zero))
    if wrong.any():
        at = int(np.argmax(wrong))
        zero = bool(values[at] == 0)
        raise ValueRangeError(
            f"{source} line {table.line_numbers[at]}",
            "an RR interval of 0, often a mark for a lost beat"
            if zero
            else f"expected an RR interval above 0, found {table.columns[column][at].strip()[:40]}",
            "repair or remove it, or keep it with allow_zero=True (--allow-zero)"
            if zero
            else "repair or remove it",
        )
    factor = MS_PER[_unit(values[(values > 0) & ~invalid], table, column, source, unit)]
    rr_ms = values * factor
    if (rr_ms > _DAY_MS).any():
        at = int(np.argmax(rr_ms > _DAY_MS))
        raise ValueRangeError(
            f"{source} line {table.line_numbers[at]}",
            f"an RR interval of {rr_ms[at]:.3g} ms, more than a day",
            "repair or remove it",
        )
    return rr_ms


def _unit(
    values: Float64[Array, "beat"], table: Table, column: int, source: str, unit: Unit
) -> str:
    if unit != "auto":
        return unit
    low, high = _PLAUSIBLE_MS
    median, fitting = units_by_median(values)
    named = name_and_unit(table.names[column])[1] if table.names else ""
    if named in MS_PER and named not in ("ms", "s"):
        fitting = [named] if low <= median * MS_PER[named] <= high else []
    if named and named not in fitting:
        raise ValueRangeError(
            source,
            f"column {table.title(column)} is named as {named}, but its median is {median:g}",
            "correct the name or force the unit with unit='ms' or unit='s' (--unit)",
        )
    if not fitting:
        raise no_unit(median, source)
    return fitting[0]


def units_by_median(values: Float64[Array, "beat"]) -> tuple[float, list[str]]:
    """The median of intervals, and in which units, ms or s, it would be that of a heart."""
    low, high = _PLAUSIBLE_MS
    median = float(np.median(values)) if values.size else 0.0
    return median, [unit for unit in ("ms", "s") if low <= median * MS_PER[unit] <= high]


def no_unit(median: float, source: str) -> ValueRangeError:
    """The error for intervals whose median is that of no heart in any unit."""
    rate = "; it may be heart rate" if 30 <= median < _PLAUSIBLE_MS[0] else ""
    return ValueRangeError(
        source,
        f"the median RR interval is {median:g}, expected 0.2-3 (s) or 200-3000 (ms){rate}",
        "give the intervals, or force the unit with unit='ms' or unit='s' (--unit)",
    )


def _check_rising(values: Float64[Array, "beat"], table: Table, column: int, source: str) -> None:
    if only_rises(values):
        raise ValueRangeError(
            source,
            f"column {table.title(column)} only rises, from {values[0]:g} to {values[-1]:g}: "
            "these look like beat times, not intervals",
            "give their differences, or choose another column with column=NAME (--column)",
        )


def only_rises(values: Float64[Array, "beat"]) -> bool:
    """Whether values are beat times rather than intervals: intervals do not rise all the time."""
    if values.size < _RISING_BEATS:
        return False
    steps = np.diff(values)
    doubled = values[-1] >= 2 * max(values[0], 0) > 0
    return bool((steps > 0).all() or ((steps >= 0).all() and doubled))


def is_signal(source: str, where: str) -> FormatError:
    """The error for samples of a signal that were given as RR intervals."""
    return FormatError(
        source,
        f"{where} seems to hold samples of an ECG or pulse signal, not RR intervals",
        "for an ECG, give its sampling rate: --layout ecg --sampling-rate HZ",
    )


def refuse_signal(rr_ms: Float64[Array, "beat"], source: str) -> None:
    """Refuse many numbers of which almost none can be a beat: counts of a converter, say."""
    low, high = PLAUSIBLE_MS
    beats = np.count_nonzero((rr_ms >= low) & (rr_ms <= high))
    if rr_ms.size >= _SAMPLES and beats < _FEWEST * rr_ms.size:
        raise is_signal(source, f"{1 - beats / rr_ms.size:.0%} outside {low}-{high} ms: the column")


def _looks_like_signal(values: Float64[Array, "sample"]) -> bool:
    """Whether numbers are samples rather than intervals: many, and on both sides of 0."""
    below = np.count_nonzero(values < 0) / max(values.size, 1)
    return bool(values.size >= _SAMPLES and _BELOW < below < 1 - _BELOW)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True

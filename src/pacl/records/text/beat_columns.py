"""Which column of a table holds beat times."""

import re
from collections.abc import Collection, Iterable

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.errors import RecordError
from pacl.records.text.columns import (
    RR_NAMES,
    TIME_NAMES,
    find_column,
    names_rr,
    rhythm_by_name,
)
from pacl.records.text.options import TextOptions
from pacl.records.text.table import Table
from pacl.records.text.time import kind_of, read_times
from pacl.records.text.values import name_and_unit, numbers, only_rises

_BEAT_NAMES = (
    "beat beats heartbeat heartbeats rpeak rpeaks peak peaks qrs rwave rwaves ecgrpeak ecgrpeaks"
    " systolicpeak systolicpeaks"
)
_SAMPLE_WORDS = "sample samples index indices indexes idx samplenumber frame"
_TIME_WORDS = "time times timestamp timestamps onset at location locations loc locs position"
_BEATS = _BEAT_NAMES.split()
_SAMPLES = frozenset(f"{beat}{word}" for beat in ("", *_BEATS) for word in _SAMPLE_WORDS.split())
BEAT_NAMES = _SAMPLES | {f"{beat}{word}" for beat in _BEATS for word in ("", *_TIME_WORDS.split())}
"""Names of columns of beat times, as `name_and_unit` gives them."""

_RATE = re.compile(r"(\d+(?:\.\d+)?)[ _]*hz", re.IGNORECASE)
_MOSTLY = 0.9


def names_beats(names: Iterable[str]) -> bool:
    """Whether a column is named like the times of beats; a plain number of samples is not."""
    plain = {name_and_unit(name)[0] for name in names}
    return bool(plain & BEAT_NAMES - set(_SAMPLE_WORDS.split()))


def is_sample_name(name: str) -> bool:
    """Whether a column is named like sample numbers."""
    return _RATE.sub("", name) in _SAMPLES


def rate_in(title: str) -> float | None:
    """The sampling rate that a title states: `R-peak sample (360 Hz)`."""
    found = _RATE.search(title)
    return float(found[1]) if found and float(found[1]) >= 1 else None


def find_beats(table: Table, source: str, how: TextOptions, others: Collection[int]) -> int | None:
    """The column of beat times, where there is one and no column of RR intervals.

    It is the one asked for, the one that is named like beats, or the only column with numbers or
    times; and its values rise.
    """
    known = [_RATE.sub("", name_and_unit(name)[0]) for name in table.names]
    asked = find_column(table, source, how.column, "column")
    if asked is not None:
        is_rr = bool(known) and known[asked] in RR_NAMES
        return asked if not is_rr and _all_rise(table, asked, source) else None
    if names_rr([name for at, name in enumerate(table.names) if at not in others]):
        return None
    named = [at for at, name in enumerate(known) if name in BEAT_NAMES and at not in others]
    rising = [at for at in named if _mostly_rises(table, at, source)]
    if rising:
        return min(rising, key=lambda at: known[at] in _SAMPLES)
    rhythm = find_column(table, source, how.rhythm_column, "rhythm_column")
    rhythm = rhythm_by_name(table) if rhythm is None else rhythm
    time = find_column(table, source, how.time_column, "time_column")
    if time is not None:
        return time if _all_rise(table, time, source) else None
    free = [at for at in range(len(table.columns)) if at != rhythm and at not in others]
    measured = [at for at in free if _is_measured(table, at, source)]
    times = [at for at in measured if known and known[at] in TIME_NAMES]
    if times and set(times) == set(measured):
        return next((at for at in times if _mostly_rises(table, at, source)), None)
    if len(measured) == 1 and _all_rise(table, measured[0], source):
        return measured[0]
    return None


def _is_measured(table: Table, column: int, source: str) -> bool:
    """Whether the first cell of a column is a number or a time, and no number of the line."""
    if kind_of(table.columns[column][0].strip()) not in ("iso", "clock", "number"):
        return False
    values = _values(table, column, source)
    return values is None or not _counts(values)


def _values(table: Table, column: int, source: str) -> Float64[Array, "beat"] | None:
    kind = kind_of(table.columns[column][0].strip())
    try:
        if kind in ("iso", "clock"):
            return read_times(kind, table, column, source)
        return numbers(table, column, source) if kind == "number" else None
    except RecordError:
        return None


def _all_rise(table: Table, column: int, source: str) -> bool:
    values = _values(table, column, source)
    return values is not None and only_rises(values) and not _counts(values)


def _mostly_rises(table: Table, column: int, source: str) -> bool:
    values = _values(table, column, source)
    if values is None or values.size < 2:
        return False
    steps = np.diff(values)
    rises = np.mean(steps >= 0) >= _MOSTLY and np.median(steps) > 0
    return bool(rises) and not _counts(values)


def _counts(values: Float64[Array, "beat"]) -> bool:
    """Whether values count the lines: 1, 2, 3."""
    return bool(values.size > 1 and (np.diff(values) == 1).all() and values[0] in (0, 1))

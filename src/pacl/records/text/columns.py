"""Which column of a table is what."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.text.averages import refuse_averages
from pacl.records.text.table import Table
from pacl.records.text.values import name_and_unit, numbers, units_by_median

_KINDS = ("rr", "nn", "pp", "ibi", "beat", "interbeat", "beattobeat", "heartbeat", "rtor")
_WORDS = "interval intervals int data series vector values intervalin intervalsin list duration"
_ALONE = (
    "rr rri rris ibi ibis nn nni ppi ppinms bbi rtor rrin interval intervals interbeatinterval"
    " hrvrr pulselength"
)
RR_NAMES = frozenset(
    [*_ALONE.split(), *(f"{kind}{word}" for kind in _KINDS for word in _WORDS.split())]
)
"""Names of columns of RR intervals, as `name_and_unit` gives them."""

_TIMES = (
    "time timestamp datetime date t elapsed elapsedtime utc utctime phonetimestamp"
    " phonedatarxtimestamp sensortimestamp unixtimestamp unixtime sincestart timesincestart arrival"
    " arrivaltime receivedat localtime epoch epochtime systemtime timeofday clocktime"
    " unixtimestampinms"
)
TIME_NAMES = frozenset(_TIMES.split())
"""Names of columns of times."""

_CHOOSE = "choose it with column=NAME or column=NUMBER (--column)"
_RHYTHM = {"rhythm", "rhythms", "rhythmlabel"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Columns by position: intervals, candidates for their times, rhythms."""

    rr: int
    times: tuple[int, ...]
    rhythm: int | None


def choose(
    table: Table,
    source: str,
    column: str | int | None,
    time_column: str | int | None,
    rhythm_column: str | int | None,
    others: Collection[int] = (),
) -> Chosen:
    """Find the columns: those asked for, else those whose names are known, else the only one.

    `others` are known to be something else than intervals.
    """
    known = [name_and_unit(name)[0] for name in table.names]
    rr = find_column(table, source, column, "column")
    time = find_column(table, source, time_column, "time_column")
    rhythm = find_column(table, source, rhythm_column, "rhythm_column")
    taken = {rr, time, rhythm, *others}
    if rr is None:
        rr = _only(
            table, source, [i for i, n in enumerate(known) if n in RR_NAMES and i not in taken]
        )
    free = [i for i in range(len(table.columns)) if i not in taken]
    if rr is None and len(free) == 1:
        rr = free[0]
        if table.names and not _may_be_rr(table, rr, source):
            refuse_averages(table, source)
    times: tuple[int, ...] = () if time is None else (time,)
    if rr is None and not any(table.names):  # only the numbers can show it
        rr, times = _by_values(table, source, times)
    if rr is None:
        refuse_averages(table, source)
        raise FormatError(
            source, f"no column is named like RR intervals among {table.listing()}", _CHOOSE
        )
    if time_column == "":
        times = ()
    elif not times:
        times = tuple(i for i, name in enumerate(known) if name in TIME_NAMES and i != rr)
        if not times and len(known) == 2 and not known[1 - rr].strip("0123456789"):
            times = (1 - rr,)  # Empatica writes when it started where a name would be
    if rhythm_column is None:
        rhythm = rhythm_by_name(table, rr)
    return Chosen(rr, times, rhythm)


def rhythm_by_name(table: Table, rr: int | None = None) -> int | None:
    """The column that is named like rhythms and does not hold the intervals."""
    known = [name_and_unit(name)[0] for name in table.names]
    return next((i for i, name in enumerate(known) if name in _RHYTHM and i != rr), None)


def _may_be_rr(table: Table, column: int, source: str) -> bool:
    """Whether the median of a column may be that of RR intervals in ms, whatever its name."""
    try:
        return "ms" in units_by_median(numbers(table, column, source))[1]
    except ValueRangeError:
        return True  # reading it says what is wrong


def names_rr(names: Collection[str]) -> bool:
    """Whether a column is named like RR intervals."""
    return any(name_and_unit(name)[0] in RR_NAMES for name in names)


def find_column(table: Table, source: str, wanted: str | int | None, flag: str) -> int | None:
    """Position of a column asked for by name, as written or as normalised, or by number."""
    if wanted is None or wanted == "":
        return None
    text = str(wanted).strip()
    plain = [name.strip().lower() for name in table.names]
    for names, key in (
        (list(table.names), text),
        (plain, text.lower()),
        ([name_and_unit(name)[0] for name in plain], name_and_unit(text)[0]),
    ):
        if names.count(key) == 1:
            return names.index(key)
    if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= len(table.columns):
        return int(text) - 1
    raise FormatError(
        source,
        f"{flag}={wanted!r} names none or several of the columns {table.listing()}",
        "give one of these names, or a number counting from 1",
    )


def _only(table: Table, source: str, found: list[int]) -> int | None:
    if len(found) > 1:
        raise FormatError(
            source,
            f"{len(found)} columns could be RR intervals: "
            + ", ".join(table.title(i) for i in found),
            _CHOOSE,
        )
    return found[0] if found else None


def _by_values(
    table: Table, source: str, times: tuple[int, ...]
) -> tuple[int | None, tuple[int, ...]]:
    """Without names: of two columns, one that rises is time and the other the intervals."""
    if len(table.columns) == 2 and not times:
        found = [i for i in (0, 1) if _are_times_of(table, i, 1 - i, source)]
        if len(found) == 1:
            return 1 - found[0], (found[0],)
    raise FormatError(
        source,
        f"{len(table.columns)} columns without names, none of them surely RR intervals; "
        f"the first line reads {' | '.join(c[0].strip()[:20] for c in table.columns[:6])}",
        "choose it with column=2 or the like (--column), counting from 1",
    )


def _are_times_of(table: Table, column: int, rr: int, source: str) -> bool:
    """Whether a column is when the intervals of another came: it steps on by their length."""
    try:
        values = numbers(table, column, source)
    except ValueRangeError:
        return ":" in table.columns[column][0]
    steps, intervals = np.diff(values), numbers(table, rr, source)
    if steps.size < 2 or (steps < 0).any() or not (intervals > 0).all():
        return False
    ratio = np.median(steps) / np.median(intervals)
    return any(0.5 < ratio * scale < 2 for scale in (1e-3, 1, 1e3))

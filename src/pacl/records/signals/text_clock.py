"""Times of samples that are written as dates or as a clock."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.errors import ValueRangeError
from pacl.records.text import EPOCH_S

_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d\d(?:[.,]\d+)?)")
_AS_ZERO = str.maketrans("123456789", "000000000")
_PLAIN = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?")
_DAY_S = 86_400.0


def kind_of(cell: str) -> str:
    """`iso`, `clock` or nothing."""
    return "iso" if _ISO.fullmatch(cell) else "clock" if _CLOCK.fullmatch(cell) else ""


def wall_clock(cell: str) -> datetime | None:
    """The time of a cell that is a date and time; nothing where it is none."""
    try:
        return datetime.fromisoformat(_without_blanks(cell)) if _ISO.fullmatch(cell) else None
    except ValueError:
        return None


def unix_time(seconds: float) -> datetime | None:
    """The time that a count of seconds since 1970 means; nothing where it cannot be one."""
    return datetime.fromtimestamp(seconds, UTC) if EPOCH_S[0] <= seconds <= EPOCH_S[1] else None


def clock_seconds(
    cells: Sequence[str], first: str, line: int, source: str
) -> Float64[Array, "sample"]:
    """Seconds since `first`, the cell of the first row of the file, in the same form.

    A clock without a date starts again at midnight: that is left to `over_midnight`.
    """
    try:
        if kind_of(first) == "iso":
            return _dates(cells, first)
        return np.array([_seconds(cell) for cell in cells]) - _seconds(first)
    except (ValueError, TypeError, OverflowError):  # a zone that some have, a cell that is no time
        raise ValueRangeError(
            f"{source} line {line} or below",
            f"expected times such as {first[:40]!r}",
            "write all times in one form",
        ) from None


def over_midnight(at_s: Float64[Array, "sample"]) -> Float64[Array, "sample"]:
    """A clock that goes on after midnight."""
    midnights = np.diff(at_s, prepend=at_s[:1]) < -_DAY_S / 2
    found: Float64[Array, "sample"] = at_s + _DAY_S * np.cumsum(midnights)
    return found


def _dates(cells: Sequence[str], first: str) -> Float64[Array, "sample"]:
    shape = first.translate(_AS_ZERO)
    if _PLAIN.fullmatch(first) and "".join(cells).translate(_AS_ZERO) == shape * len(cells):
        since = np.array(cells, "datetime64[us]") - np.datetime64(first, "us")
        found: Float64[Array, "sample"] = since / np.timedelta64(1, "s")
        return found
    start = datetime.fromisoformat(_without_blanks(first))
    return np.array(
        [(datetime.fromisoformat(_without_blanks(cell)) - start).total_seconds() for cell in cells]
    )


def _seconds(cell: str) -> float:
    found = _CLOCK.fullmatch(cell)
    if found is None:
        raise ValueError
    hours, minutes, seconds = found.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))


def _without_blanks(cell: str) -> str:
    return cell.strip().replace(" +", "+").replace(" -", "-").replace(" Z", "Z")

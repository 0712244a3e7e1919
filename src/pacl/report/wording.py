"""Durations, percentages, times, lists and file names as text: the one place that words them."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta

SPACE = "\N{NO-BREAK SPACE}"
WEEK_S = 7 * 86_400


def duration(seconds: float) -> str:
    """In two units at most.

    Examples
    --------
    >>> [duration(s).replace(SPACE, " ") for s in (9.4, 250.0, 7530.0)]
    ['9 s', '4 min 10 s', '2 h 06 min']
    """
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded}{SPACE}s"
    if rounded < 3600:
        return f"{rounded // 60}{SPACE}min {rounded % 60:02d}{SPACE}s"
    minutes = round(seconds / 60)
    return f"{minutes // 60}{SPACE}h {minutes % 60:02d}{SPACE}min"


def short_duration(seconds: float) -> str:
    """In one unit."""
    if seconds < 59.5:
        return f"{seconds:.0f}{SPACE}s"
    if seconds < 3570:
        return f"{seconds / 60:.0f}{SPACE}min"
    return f"{seconds / 3600:.1f}{SPACE}h"


def percent(part: float | None) -> str:
    """A share in per cent; only exactly 0 and 1 are printed as 0 % and 100 %, None as a dash.

    Examples
    --------
    >>> [percent(x).replace(SPACE, " ") for x in (0.0, 0.0002, 0.034, 0.31, 0.9996, 1.0)]
    ['0 %', '< 0.1 %', '3.4 %', '31 %', '> 99.9 %', '100 %']
    """
    if part is None:
        return "\N{EN DASH}"
    if 0.0 < part < 0.001:
        return f"<{SPACE}0.1{SPACE}%"
    if 0.999 < part < 1.0:
        return f">{SPACE}99.9{SPACE}%"
    digits = 0 if part in (0.0, 1.0) or 0.0995 <= part < 0.9895 else 1
    return f"{100 * part:.{digits}f}{SPACE}%"


def moment(at_s: float, started: datetime | None, lasts_s: float = 0.0) -> str:
    """A time of day where it is known, else hours, minutes and seconds from the start.

    A recording that lasts beyond midnight also gets the day; one of a week or more, the date.
    """
    if started is None:
        rounded = round(at_s)
        return f"{rounded // 3600}:{rounded // 60 % 60:02d}:{rounded % 60:02d}"
    clock = started + timedelta(seconds=round(at_s))
    if lasts_s >= WEEK_S:
        return f"{clock:%Y-%m-%d %H:%M:%S}"
    beyond = (started + timedelta(seconds=lasts_s)).date() != started.date()
    return f"{clock:%a %H:%M:%S}" if beyond else f"{clock:%H:%M:%S}"


def counted(count: int, noun: str) -> str:
    """`1 seed`, `2 seeds`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """`A, B and C`; `A; B, C; and D` where a name has a comma itself."""
    *before, end = names
    if not before:
        return end
    if any("," in name for name in names):
        return f"{'; '.join(before)}; {last} {end}"
    return f"{', '.join(before)} {last} {end}"


def slug(name: str) -> str:
    """A name as a part of a file name or an anchor: a-z, 0-9 and -.

    Examples
    --------
    >>> slug("LTAFDB to Übung (2)")
    'ltafdb-to-ubung-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")

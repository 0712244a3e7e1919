"""Durations, shares and moments as a reader would write them."""

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
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{SPACE}s"
    if whole < 3600:
        return f"{whole // 60}{SPACE}min {whole % 60:02d}{SPACE}s"
    minutes = round(seconds / 60)
    return f"{minutes // 60}{SPACE}h {minutes % 60:02d}{SPACE}min"


def short_duration(seconds: float) -> str:
    """In one unit."""
    if seconds < 59.5:
        return f"{seconds:.0f}{SPACE}s"
    if seconds < 3570:
        return f"{seconds / 60:.0f}{SPACE}min"
    return f"{seconds / 3600:.1f}{SPACE}h"


def share(part: float) -> str:
    """Per cent; what is not quite nothing or all is not said to be.

    Examples
    --------
    >>> [share(x).replace(SPACE, " ") for x in (0.0, 0.0002, 0.034, 0.31, 0.9996, 1.0)]
    ['0 %', '< 0.1 %', '3.4 %', '31 %', '> 99.9 %', '100 %']
    """
    if 0.0 < part < 0.001:
        return f"<{SPACE}0.1{SPACE}%"
    if 0.999 < part < 1.0:
        return f">{SPACE}99.9{SPACE}%"
    digits = 0 if part in (0.0, 1.0) or 0.0995 <= part < 0.9895 else 1
    return f"{100 * part:.{digits}f}{SPACE}%"


def moment(at_s: float, started: datetime | None, lasts_s: float = 0.0) -> str:
    """A time of day where it is known, else hours, minutes and seconds from the start.

    Where a recording lasts beyond midnight, the day is told too: of a week or more, by its date.
    """
    if started is None:
        whole = round(at_s)
        return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    clock = started + timedelta(seconds=round(at_s))
    if lasts_s >= WEEK_S:
        return f"{clock:%Y-%m-%d %H:%M:%S}"
    beyond = (started + timedelta(seconds=lasts_s)).date() != started.date()
    return f"{clock:%a %H:%M:%S}" if beyond else f"{clock:%H:%M:%S}"


def unmarked(text: str) -> str:
    """Words in which nothing is markup."""
    return " ".join(text.replace("`", "'").replace("*", "·").replace("[", "(").split())

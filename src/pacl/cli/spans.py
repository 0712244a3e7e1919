"""Stretches and moments of a recording on the command line: `01:00-02:00`, `01:30`."""

import re
from datetime import datetime

from pacl.errors import PaclError

DAY_S = 86_400.0
EARLY_S = 300.0
"""A time of day this much before the start of the recording is its start, not the next day."""
_TIME = r"(\+?)(?:(\d{1,4}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?|(\d+(?:\.\d+)?)s)"
_DASH = "[-\N{EN DASH}]"
_SPAN = re.compile(rf"\s*{_TIME}\s*{_DASH}\s*{_TIME}\s*")


def parse_span(
    text: str, started: datetime | None, lasts_s: float, flag: str
) -> tuple[float, float]:
    """Start and end in seconds from the start of a recording that lasts `lasts_s`.

    `H:MM` and `H:MM:SS` are times of day where the recording has a clock, else the time since its
    start, as always after a `+`. `90s` are seconds since the start.

    Examples
    --------
    >>> parse_span("0:05-0:10", None, 3600.0, "--sinus")
    (300.0, 600.0)
    >>> parse_span("23:30-0:15", datetime(2026, 4, 1, 22, 0), 28800.0, "--sinus")
    (5400.0, 8100.0)
    >>> parse_span("+0:05-+0:10", datetime(2026, 4, 1, 22, 0), 28800.0, "--sinus")
    (300.0, 600.0)
    """
    found = _SPAN.fullmatch(text)
    if found is None:
        raise PaclError(
            f"{flag} {text[:40]!r}: expected START-END such as 01:00-02:00, +0:05-+0:10 or "
            "300s-600s"
        )
    one, other = found.groups()[:5], found.groups()[5:]
    by_clock = [started is not None and not each[0] and each[4] is None for each in (one, other)]
    if by_clock[0] != by_clock[1]:
        raise PaclError(
            f"{flag} {text[:40]!r}: one time of day and one time since the start; write both in "
            "the same way"
        )
    low, high = _elapsed(one), _elapsed(other)
    if started is None or not by_clock[0]:
        return low, high
    if max(low, high) >= DAY_S:
        raise PaclError(
            f"{flag} {text[:40]!r}: no time of day; for the time since the start write "
            "+30:00-+31:00"
        )
    begins = 3600.0 * started.hour + 60.0 * started.minute + started.second
    length = (high - low) % DAY_S
    start = (low - begins) % DAY_S
    if start > DAY_S - EARLY_S:
        start -= DAY_S
    if start + DAY_S + length <= lasts_s:
        raise PaclError(
            f"{flag} {text[:40]!r}: this time of day occurs more than once in the recording; give "
            f"the time since its start, such as +{int(start) // 3600}:{int(start) // 60 % 60:02}"
        )
    return start, start + length


def parse_moment(text: str, started: datetime | None, lasts_s: float, flag: str) -> float:
    """Seconds from the start of a recording: one time, written as in `parse_span`.

    Examples
    --------
    >>> parse_moment("0:05", None, 3600.0, "--at")
    300.0
    >>> parse_moment("90s", None, 3600.0, "--at")
    90.0
    """
    if re.fullmatch(_TIME, text.strip()) is None:
        raise PaclError(f"{flag} {text[:40]!r}: expected a time such as 01:30, +0:05 or 300s")
    try:
        return parse_span(f"{text}-{text}", started, lasts_s, flag)[0]
    except PaclError as error:
        raise PaclError(
            f"{flag} {text[:40]!r}: not one time of day in this recording; give the time since its "
            "start, such as +0:05 or 300s"
        ) from error


def _elapsed(parts: tuple[str | None, ...]) -> float:
    _, hours, minutes, seconds, plain = parts
    if plain is not None:
        return float(plain)
    return 3600.0 * int(hours or 0) + 60.0 * int(minutes or 0) + float(seconds or 0)

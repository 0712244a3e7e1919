"""Stretches of a recording on the command line: `01:00-02:00`."""

import re
from datetime import datetime

from pacl.errors import PaclError

DAY_S = 86_400.0
_TIME = r"(\+?)(?:(\d{1,4}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?|(\d+(?:\.\d+)?)s)"
_SPAN = re.compile(rf"\s*{_TIME}\s*-\s*{_TIME}\s*")


def parse_span(text: str, started: datetime | None, flag: str) -> tuple[float, float]:
    """Start and end in seconds from the start of the recording.

    `H:MM` and `H:MM:SS` are times of day where the recording has a clock, else the time since its
    start, as always after a `+`. `90s` are seconds since the start.

    Examples
    --------
    >>> parse_span("0:05-0:10", None, "--sinus")
    (300.0, 600.0)
    >>> parse_span("23:30-0:15", datetime(2026, 4, 1, 22, 0), "--sinus")
    (5400.0, 8100.0)
    >>> parse_span("+0:05-+0:10", datetime(2026, 4, 1, 22, 0), "--sinus")
    (300.0, 600.0)
    """
    found = _SPAN.fullmatch(text)
    if found is None:
        raise PaclError(
            f"{flag} {text[:40]!r}: expected START-END such as 01:00-02:00, +0:05-+0:10 or "
            "300s-600s"
        )
    parts = found.groups()
    low, high = (_seconds(parts[at : at + 5], started, flag, text) for at in (0, 5))
    if high < low and started is not None and not found[6] and found[10] is None:
        high += DAY_S
    return low, high


def _seconds(
    parts: tuple[str | None, ...], started: datetime | None, flag: str, text: str
) -> float:
    since, hours, minutes, seconds, plain = parts
    if plain is not None:
        return float(plain)
    found = 3600.0 * int(hours or 0) + 60.0 * int(minutes or 0) + float(seconds or 0)
    if since or started is None:
        return found
    if found >= DAY_S:
        raise PaclError(
            f"{flag} {text[:40]!r}: no time of day; for the time since the start write "
            "+30:00-+31:00"
        )
    begins = 3600.0 * started.hour + 60.0 * started.minute + started.second
    return (found - begins) % DAY_S

"""When a recording without a clock began: from its file name, or as given."""

import re
from datetime import UTC, datetime

from pacl.records.errors import ValueRangeError

_STAMP = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<dash>[-_.]?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:T|[ _-]{1,3}| at )"
    r"(?P<hour>\d\d)(?P<colon>[-_.:h]?)(?P<minute>\d\d)(?:[-_.:m]?(?P<second>\d\d))?(?!\d)"
    r"(?P<zone>Z?)"
)
"""`2017-05-12 07-31-05` of Elite HRV, `20170512T073105Z`, `2017-05-12_07.31`: the year first."""


def started_by_name(stem: str) -> datetime | None:
    """Date and time in a file name; nothing where there is none, more than one, or no real date."""
    found = list(_STAMP.finditer(stem))
    if len(found) != 1:
        return None
    parts = found[0].groupdict(default="0")
    try:
        date = [int(parts[name]) for name in ("year", "month", "day")]
        time = [int(parts[name]) for name in ("hour", "minute", "second")]
        at = datetime(date[0], date[1], date[2], time[0], time[1], time[2])
        return at.replace(tzinfo=UTC) if parts["zone"] == "Z" else at
    except ValueError:
        return None


def parse_start(start: str, source: str) -> datetime:
    """Read a date and time that was given by hand, in ISO 8601."""
    text = start.strip()
    try:
        if not re.match(r"\d{4}-?\d\d-?\d\d[T ]\d\d", text):
            raise ValueError
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueRangeError(
            source,
            f"start={start[:40]!r} is no date and time in ISO 8601",
            "give the date and the time, too, such as 2026-04-01T21:30:00 (--start)",
        ) from None


def choose_start(
    by_file: datetime | None, by_name: datetime | None, given: str | None, source: str
) -> datetime | None:
    """The start: of the file's own clock, else as given, else from its name."""
    if given is None:
        return by_file or by_name
    start = parse_start(given, source)
    if by_file is not None:
        raise ValueRangeError(
            source,
            f"start={given[:40]!r}, but the file has its own clock, which begins at "
            f"{by_file.isoformat(' ')}",
            "leave start out (--start)",
        )
    return start

"""Beats as newline JSON: `{"rr": 812}`, `{"rr": [812, 790], "time": ...}`, `{"hr_packet": ...}`."""

import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pacl.live.heart_rate import parse_heart_rate, parse_hex
from pacl.live.transport import Packet
from pacl.records import FormatError, ValueRangeError
from pacl.stored import parse_json

MOST_INTERVALS = 1_000
"""Intervals of one line; more are no packet."""
LONGEST_MS = 86_400_000.0
"""More than a day is no interval."""
_FIRST_S, _LAST_S = -1e11, 1e11
_MOST_SEQUENCE = 2**53
_REMEDY = 'write {"rr": 812} or {"rr": [812, 790], "time": 12.3} in each line'


class Message(TypedDict):
    """One line. `rr` is in the unit that was asked for; other names are left out of account."""

    rr: NotRequired[float | list[float]]
    rr_ms: NotRequired[float | list[float]]
    rr_s: NotRequired[float | list[float]]
    hr_packet: NotRequired[str]
    time: NotRequired[float | str]
    sequence: NotRequired[int]
    contact: NotRequired[bool]
    valid: NotRequired[bool]


def parse_message(line: bytes, where: str, ms_per: float = 1.0) -> Packet:
    """Read one line of JSON; a `FormatError` or `ValueRangeError` if it is no packet.

    Parameters
    ----------
    where
        The source and the line, for messages.
    ms_per
        Milliseconds in the unit of `rr`.

    Examples
    --------
    >>> parse_message(b'{"rr": [812, 790], "time": 12.5}', "standard input").rr_ms
    (812.0, 790.0)
    """

    def refuse(_: Path, what: str) -> FormatError:
        return FormatError(where, what, _REMEDY)

    found: Message = parse_json(line, Path(where), Message, refuse)
    at_s = seconds_of(found["time"], where) if "time" in found else None
    sequence = found.get("sequence")
    if sequence is not None and not 0 <= sequence <= _MOST_SEQUENCE:
        raise ValueRangeError(where, f"sequence {sequence}", "count packets from 0")
    if "hr_packet" in found:
        return Packet.of(
            parse_heart_rate(parse_hex(found["hr_packet"], where), where), at_s, sequence
        )
    return Packet(
        _intervals(found, where, ms_per),
        at_s,
        found.get("contact"),
        sequence=sequence,
        usable=found.get("valid", True),
    )


def check_interval(rr_ms: float, where: str) -> float:
    """An interval that can be one; NaN, a negative one and days are refused."""
    if not (math.isfinite(rr_ms) and 0 <= rr_ms <= LONGEST_MS):
        raise ValueRangeError(
            where, f"an interval of {rr_ms:g} ms", "give 0 or more, and less than a day"
        )
    return rr_ms


def seconds_of(stated: float | int | str, where: str) -> float:
    """A time as seconds: a number as it is, ISO 8601 as Unix time; local if without a zone."""
    at_s = math.nan
    with suppress(ValueError, OverflowError, OSError):
        at_s = float(stated) if not isinstance(stated, str) else _parse_time(stated)
    if not _FIRST_S <= at_s <= _LAST_S:
        raise ValueRangeError(
            where, f"time {str(stated)[:40]!r}", "give seconds, or date and time in ISO 8601"
        )
    return at_s


def _parse_time(text: str) -> float:
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return datetime.fromisoformat(text.strip()).timestamp()


def _intervals(found: Mapping[str, Any], where: str, ms_per: float) -> tuple[float, ...]:
    scales = {"rr": ms_per, "rr_ms": 1.0, "rr_s": 1000.0}
    named = [name for name in scales if name in found]
    if len(named) != 1:
        what = " and ".join(named) if named else 'none of "rr", "rr_ms", "rr_s", "hr_packet"'
        raise FormatError(where, f"{what} in one line", _REMEDY)
    value = found[named[0]]
    values = value if isinstance(value, list) else [value]
    if len(values) > MOST_INTERVALS:
        raise ValueRangeError(
            where, f"{len(values):,} intervals in one line", f"give at most {MOST_INTERVALS:,}"
        )
    return tuple(check_interval(float(one) * scales[named[0]], where) for one in values)

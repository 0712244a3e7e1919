"""Times in JSON: dates in many spellings, counts since 1970, counts of a device."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.exports.json_text import Node, plain
from pacl.records.exports.recording import since_1970
from pacl.records.text import EPOCH_S

_KEYS = (
    *("timeiso", "sampledatetime", "datetime", "starttime", "startdate", "start", "recordedat"),
    *("timestamp", "timestamputc", "timestampms", "at", "date", "time", "times", "ts", "t"),
)
_LONGEST_ZONE_MIN = 15 * 60
_FEWEST_STEPS = 3


class At(NamedTuple):
    """Seconds since 1970 and the date, where known; the number itself where it was one."""

    seconds: float
    date: datetime | None = None
    number: float | None = None


def time_of(node: Node) -> At | None:
    """The time of an object: its own, else that of the nearest it stands in."""
    for found in (node.found, *node.above[::-1]):
        by_name = {plain(key): value for key, value in found.items() if len(key) < 30}
        for name in _KEYS:
            at = read_time(by_name.get(name))
            if at is not None:
                return _in_zone(at, by_name.get("timezoneoffset"))
    return None


def read_time(value: Any) -> At | None:
    """A date in ISO 8601, or a number; nothing where it is neither."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return _from_count(float(value)) if abs(value) < 1e20 else None
    text = value.strip().replace(" +", "+").replace(" -", "-")
    if not 10 < len(text) < 40:
        return None
    try:
        date = datetime.fromisoformat(text)
        if not 1970 < date.year < 2200:
            return None
        return At(since_1970(date), date)
    except (ValueError, OverflowError):
        return None


def _from_count(count: float) -> At | None:
    if not math.isfinite(count):
        return None
    for per_s in (1.0, 1e3, 1e6, 1e9):
        if EPOCH_S[0] <= count / per_s <= EPOCH_S[1]:
            return At(count / per_s, datetime.fromtimestamp(count / per_s, UTC), count)
    return At(count, None, count)


def _in_zone(at: At, minutes: Any) -> At:
    """Polar gives local time and, apart from it, the minutes to UTC."""
    if at.date is None or at.date.tzinfo is not None or type(minutes) is not int:
        return at
    if abs(minutes) > _LONGEST_ZONE_MIN:
        return at
    date = at.date.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    return At(date.timestamp(), date)


def on_one_clock(
    stamps: Sequence[At | None], lasts_s: Sequence[float]
) -> tuple[list[float | None], datetime | None]:
    """Stamps of packets in seconds, and the date of one of them where they count from 1970.

    `lasts_s` is how long the intervals of each packet last: the unit of numbers is the one in which
    they go on as fast.
    """
    texts = [one for one in stamps if one is not None and one.number is None]
    if texts:
        return [one.seconds if one and one.number is None else None for one in stamps], texts[
            0
        ].date
    counts = np.array(
        [np.nan if one is None or one.number is None else one.number for one in stamps],
        dtype=np.float64,
    )
    unit = _unit(counts, np.array(lasts_s, dtype=np.float64))
    seconds = counts * unit
    known = seconds[np.isfinite(seconds)]
    if not known.size:
        return [None] * len(stamps), None
    since_1970 = bool(((known >= EPOCH_S[0]) & (known <= EPOCH_S[1])).all())
    date = datetime.fromtimestamp(float(known[0]), UTC) if since_1970 else None
    return [None if math.isnan(one) else float(one) for one in seconds], date


def _unit(counts: Float64[Array, "packet"], lasts_s: Float64[Array, "packet"]) -> float:
    """Seconds in one count; NaN where no unit fits."""
    steps = np.diff(counts)
    steps, lasts_s = steps[np.isfinite(steps) & (steps > 0)], lasts_s[lasts_s > 0]
    if steps.size < _FEWEST_STEPS or not lasts_s.size:
        return math.nan
    ratio = float(np.median(lasts_s) / np.median(steps))
    return 10.0 ** (3 * round(math.log10(ratio) / 3)) if 1e-11 < ratio < 10 else math.nan

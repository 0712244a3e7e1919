"""Intervals in JSON, whatever the app: lists under a name such as `rr`, `rrData` or `R-R`."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pacl.records.content import MAX_BEATS
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.exports.json_text import Node, plain
from pacl.records.exports.json_time import At, on_one_clock, time_of
from pacl.records.exports.packets import Packet, check_clock, place
from pacl.records.exports.recording import Recording, as_date, by_time, join
from pacl.records.text import MS_PER, no_unit, only_rises, units_by_median

_NAMES = {
    *("rr", "rrs", "rrms", "rrsms", "rri", "rris", "rrdata", "rrlist", "rrsamples", "rrvalues"),
    *("rrinterval", "rrintervals", "rrintervalms", "rrintervalsms", "rintervals"),
    *("ibi", "ibis", "ibims", "ibisms", "interbeatintervals", "nn", "nni", "nnintervals"),
    *("ppi", "ppis", "ppims", "ppisms", "ppintervals", "ppivaluelist", "bbi", "beattobeat"),
}
_WITHIN = {"data", "value", "values", "samples", "duration", "interval", "intervals", "ms"} | _NAMES
_DURATION = re.compile(r"PT(?:(\d{1,4})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?")
_SESSION_BEATS = 30
"""No packet has as many: a list of them is a whole recording, and its time is the start."""

_RR_SAMPLE_TYPE = "11"  # of Polar AccessLink


class Found(NamedTuple):
    """Intervals at one place of a document."""

    values: list[float]
    at: At | None


def find_intervals(node: Node) -> list[Found]:
    """The lists of intervals in an object."""
    return [Found(values, time_of(node)) for values in _lists(node.found)]


def recordings_of(found: Sequence[Found], where: str) -> list[Recording]:
    """Each long list is a recording; short ones are packets of one."""
    if not found:
        return []
    beats = sum(len(each.values) for each in found)
    if beats > MAX_BEATS:
        raise FormatError(where, f"{beats:,} intervals", f"split it: {MAX_BEATS:,} at most")
    factor = _factor(np.array([one for each in found for one in each.values]), where)
    sessions = [each for each in found if len(each.values) >= _SESSION_BEATS]
    packets = [each for each in found if len(each.values) < _SESSION_BEATS]
    made = []
    for each in sessions:
        started = each.at.date if each.at else None
        rr_ms = [one * factor for one in each.values]
        made.append(join(place([Packet(rr_ms)]), by_time(started), started))
    if packets:
        made.append(_stream(packets, factor, where))
    return [one for one in made if one is not None]


def _stream(found: Sequence[Found], factor: float, where: str) -> Recording | None:
    lists = [[one * factor for one in each.values] for each in found]
    lasts_s = [sum(one for one in rr_ms if one > 0) / 1000 for rr_ms in lists]
    at_s, date = on_one_clock([each.at for each in found], lasts_s)
    packets = [Packet(*one) for one in zip(lists, at_s, strict=True)]
    check_clock(packets, where)
    stretches = place(packets)
    started = as_date(stretches[0].began_s, date) if stretches and date else None
    return join(stretches, by_time(started), started)


def _lists(found: dict[str, Any]) -> Iterator[list[float]]:
    """Lists of intervals in an object."""
    kind = found.get("sample-type", found.get("sample_type", found.get("sampleType")))
    if str(kind) == _RR_SAMPLE_TYPE and isinstance(found.get("data"), str):
        yield [_number(one) for one in found["data"].split(",")]
        return
    for key, value in found.items():
        if len(key) < 30 and plain(key) in _NAMES:
            inner = value
            if isinstance(value, dict):  # {"R-R": {"Data": [...]}}
                inner = next((one for name, one in value.items() if plain(name) == "data"), None)
            values = _numbers(inner)
            if values:
                yield values


def _numbers(value: Any) -> list[float]:
    """Intervals in a list of numbers, of durations, or of objects with one of these each."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [_number(value)]
    if not isinstance(value, list):
        return []
    found = []
    for one in value:
        if isinstance(one, dict):
            one = next((each for key, each in one.items() if plain(key) in _WITHIN), None)
        found.append(_number(one))
    return found if any(math.isfinite(one) for one in found) else []


def _number(value: Any) -> float:
    """A number, also as text or as the duration `PT0.85S`; NaN where beats are missing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return math.nan
    if isinstance(value, str):
        parts = _DURATION.fullmatch(value.strip())
        if parts and (parts[1] or parts[2]):
            return 60.0 * int(parts[1] or 0) + float(parts[2] or 0)
        try:
            value = float(value) if "_" not in value and len(value) < 30 else math.nan
        except ValueError:
            return math.nan
    return float(value) if abs(value) < 1e9 else math.nan


def _factor(values: Any, where: str) -> float:
    """Milliseconds in the unit of the intervals."""
    usable = values[np.isfinite(values) & (values > 0)]
    if only_rises(usable):
        raise ValueRangeError(
            where, "values that only rise: these look like beat times", "export the intervals"
        )
    median, units = units_by_median(usable)
    if not units:
        raise no_unit(median, where)
    return MS_PER[units[0]]

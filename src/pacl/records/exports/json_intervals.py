"""Intervals in JSON, whatever the app: lists under a name such as `rr`, `rrData` or `R-R`."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pacl.records.content import MAX_BEATS
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.exports.json_text import Node, plain
from pacl.records.exports.json_time import At, time_of
from pacl.records.exports.json_validity import invalid_in, is_invalid
from pacl.records.text import MS_PER, no_unit, only_rises, units_by_median

_NAMES = {
    *("rr", "rrs", "rrms", "rrsms", "rri", "rris", "rrdata", "rrlist", "rrsamples", "rrvalues"),
    *("rrinterval", "rrintervals", "rrintervalms", "rrintervalsms", "rintervals"),
    *("ibi", "ibis", "ibims", "ibisms", "interbeatintervals", "nn", "nni", "nnintervals"),
    *("ppi", "ppis", "ppims", "ppisms", "ppinms", "ppintervals", "ppivaluelist"),
    *("bbi", "beattobeat"),
}
_WITHIN = {"data", "value", "values", "samples", "duration", "interval", "intervals", "ms"} | _NAMES
_DURATION = re.compile(r"PT(?:(\d{1,4})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?")
_RR_SAMPLE_TYPE = "11"  # of Polar AccessLink


class Found(NamedTuple):
    """Intervals at one place of a document.

    `level` is the same for all lists at the same depth and with the same name. `lost_ms` is how
    long beats are missing, where the place states that instead of intervals.
    """

    values: Sequence[float]
    at: At | None
    level: str = ""
    invalid: Sequence[bool] = ()
    lost_ms: float = 0.0


def find_intervals(node: Node, where: str) -> list[Found]:
    """The lists of intervals in an object, or the lost time that a log of `pacl listen` states."""
    if node.found.get("event") == "lost":
        lost_s = _number(node.found.get("lost_s"))
        return [Found((), None, lost_ms=1000 * lost_s if lost_s > 0 else math.nan)]
    return [
        Found(values, time_of(node), f"{len(node.above)} {name}", invalid)
        for name, values, invalid in _lists(node.found, where)
    ]


def factor_of(found: Sequence[Found], where: str) -> float:
    """Milliseconds in the unit of all intervals of a file."""
    beats = sum(len(each.values) for each in found)
    if beats > MAX_BEATS:
        raise FormatError(where, f"{beats:,} intervals", f"split it: {MAX_BEATS:,} at most")
    values = np.array([one for each in found for one in each.values], dtype=np.float64)
    usable = values[np.isfinite(values) & (values > 0)]
    if only_rises(usable):
        raise ValueRangeError(
            where, "values that only rise: these look like beat times", "export the intervals"
        )
    median, units = units_by_median(usable)
    if not units:
        raise ValueRangeError(
            where,
            no_unit(median, where).what,
            "give RR intervals in ms or s; or leave the file out, if rr is something else in it",
        )
    return MS_PER[units[0]]


def _lists(found: dict[str, Any], where: str) -> Iterator[tuple[str, list[float], Sequence[bool]]]:
    """Lists of intervals in an object: the name, the intervals, and which are invalid."""
    kind = found.get("sample-type", found.get("sample_type", found.get("sampleType")))
    if str(kind) == _RR_SAMPLE_TYPE and isinstance(found.get("data"), str):
        yield "data", [_number(one) for one in found["data"].split(",")], ()
        return
    for key, value in found.items():
        if len(key) < 30 and plain(key) in _NAMES:
            inner = value
            if isinstance(value, dict):  # {"R-R": {"Data": [...]}}
                inner = next((one for name, one in value.items() if plain(name) == "data"), None)
            values = _numbers(inner)
            if values:
                invalid = invalid_in(found, len(values), where)
                if isinstance(inner, list):
                    inside = [isinstance(one, dict) and is_invalid(one) for one in inner]
                    invalid = [one or other for one, other in zip(invalid, inside, strict=True)]
                yield plain(key), values, invalid


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

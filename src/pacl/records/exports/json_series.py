"""Beats in JSON by their times: heartbeat series of Apple's HealthKit, Polar's daily log."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pacl.records.exports.days import Days
from pacl.records.exports.json_text import Node, PulseSample, plain
from pacl.records.exports.json_time import At, read_time, time_of
from pacl.records.exports.json_validity import is_invalid
from pacl.records.exports.packets import Packet, place
from pacl.records.exports.recording import Stretch
from pacl.records.record import GAP_MS
from pacl.spans import runs

_SERIES = {"heartbeatseries", "heartbeats", "beats", "heartbeat", "beattobeat", "beattobeatseries"}
_TIME = {"timesinceseriesstart", "timesincestart", "offset", "offsetseconds"}
_GAP = {"precededbygap", "gap"}


def add_series(node: Node, days: Days) -> bool:
    """Add the beats of an object, where it has any that are given by their times."""
    samples = node.found.get("ppiSamples")
    if isinstance(samples, list):
        return _add_pulses(node, samples, days)
    for key, value in node.found.items():
        if len(key) < 30 and plain(key) in _SERIES and isinstance(value, list):
            beats = [_beat(one) for one in value]
            at = time_of(node)
            if at is not None and at.date is not None and any(map(math.isfinite, _times(beats))):
                days.add(at.date, _device(node), _shifted(_between(beats), at))
                return True
    return False


def _beat(value: Any) -> tuple[float, bool]:
    """Seconds since the start of the series, and whether beats are missing before."""
    at, gap = None, False
    if isinstance(value, dict):
        for key, one in value.items():
            name = plain(key)
            at = one if name in _TIME else at
            gap = bool(one) if name in _GAP else gap
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], bool):
        at, gap = value
    usable = isinstance(at, int | float) and not isinstance(at, bool) and 0 <= at < 1e6
    return (float(at), gap) if usable and at is not None else (math.nan, True)


def _times(beats: Sequence[tuple[float, bool]]) -> list[float]:
    return [at for at, _ in beats]


def _between(beats: Sequence[tuple[float, bool]]) -> list[Stretch]:
    """Intervals between beats; a stretch ends at a gap and where time does not go on."""
    at_s = np.array(_times(beats), dtype=np.float64)
    steps_ms = np.diff(at_s) * 1000
    gap = np.array([one for _, one in beats[1:]], dtype=np.bool_)
    good = ~gap & (steps_ms > 0) & (steps_ms <= GAP_MS)
    return [Stretch(float(at_s[start]), steps_ms[start:stop]) for start, stop in runs(good)]


def _shifted(stretches: Sequence[Stretch], at: At) -> list[Stretch]:
    return [replace(one, began_s=one.began_s + at.seconds) for one in stretches]


def _add_pulses(node: Node, samples: Sequence[Any], days: Days) -> bool:
    """Polar's log of a day: an interval and when it came."""
    packets, first = [], None
    for one in samples:
        at = read_time(one.at) if isinstance(one, PulseSample) else None
        if at is None or at.date is None:
            continue
        first = first or at.date
        number = isinstance(one.ms, int | float) and not isinstance(one.ms, bool)
        rr_ms = [float(one.ms) if number else math.nan]
        packets.append(Packet(rr_ms, at.seconds, invalid=[is_invalid(one.more or {})]))
    if first is None:
        return False
    days.add(first, _device(node), place(packets))
    return True


def _device(node: Node) -> str:
    """What tells the devices of a person apart."""
    for found in (node.found, *node.above[::-1]):
        for key in ("deviceId", "sourceName", "source"):
            if isinstance(found.get(key), str):
                return str(found[key])
    return ""

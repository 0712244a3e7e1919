"""The beats of one series of an Apple Watch: clock times to intervals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.exports.recording import Stretch
from pacl.records.record import PLAUSIBLE_MS
from pacl.spans import runs

_CLOCK = re.compile(r"(\d{1,2})\D{1,6}(\d{1,2})\D{1,6}(\d{1,2})(?:[^\d\s](\d{1,6}))?")
_HALF_DAY_S = 43_200.0
_QUARTER_S = 900.0
_FAR_S = 180.0  # a series lasts about a minute
_COARSE_S = 0.1
_COARSE_BEATS = 8  # by chance, as many true times are all whole tenths once in a hundred million


class UnreadableSeries(Exception):  # noqa: N818
    """Why a series cannot be read."""


@dataclass(frozen=True, slots=True)
class BeatSeries:
    """What the export says of one series.

    `start` is a date such as `2021-08-01 07:30:05 +0200`. `beats` are pairs of beats per minute and
    clock time. All are as they are written.
    """

    source: str
    start: str
    beats: Sequence[tuple[str, str]]

    def began(self) -> datetime:
        """The date of `start`; raises `UnreadableSeries` where it is none."""
        try:
            found = datetime.strptime(self.start, "%Y-%m-%d %H:%M:%S %z")
            if not 1970 < found.year < 2200:
                raise ValueError
        except (ValueError, OverflowError):
            raise UnreadableSeries(f"starts such as {self.start[:40]!r} cannot be read") from None
        return found

    def stretches(self) -> list[Stretch]:
        """Intervals between its beats, in seconds since 1970.

        An interval is the difference of two times. The rate of a beat is that of the interval
        before it: where they disagree, beats are missing between the two, and a stretch ends. It
        ends, too, where time goes back. Raises `UnreadableSeries` where a time is unreadable.
        """
        clock_s = _clock_seconds([time for _, time in self.beats])
        apart_s = np.diff(clock_s) + _HALF_DAY_S / 2
        steps_ms = (apart_s % _HALF_DAY_S - _HALF_DAY_S / 2) * 1000  # past noon time goes on
        by_rate_ms = 60_000 / np.array([_rate(bpm) for bpm, _ in self.beats[1:]])
        good = _agree(steps_ms, by_rate_ms)
        at_s = self._first_beat_s(float(clock_s[0])) + np.append(0, np.cumsum(steps_ms) / 1000)
        return [Stretch(float(at_s[start]), steps_ms[start:stop]) for start, stop in runs(good)]

    def _first_beat_s(self, clock_s: float) -> float:
        """When the first beat came: near the start of the series.

        Clock times have no date, often no half of the day, and may be of another time zone or of
        summer time. All of these are multiples of a quarter of an hour.
        """
        start_s = self.began().timestamp()
        after_s = (clock_s - start_s) % _QUARTER_S
        if after_s > _QUARTER_S / 2:
            after_s -= _QUARTER_S
        return start_s + (after_s if abs(after_s) < _FAR_S else 0.0)


def _agree(
    steps_ms: Float64[Array, "beat"], by_rate_ms: Float64[Array, "beat"]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which intervals are those of the rate; times are in 10 ms, rates in whole beats."""
    near = np.abs(steps_ms - by_rate_ms) <= 60 + 0.1 * by_rate_ms
    without_rate = np.isnan(by_rate_ms) & (steps_ms <= PLAUSIBLE_MS[1])
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = (near | without_rate) & (steps_ms > 0)
    return found


def _clock_seconds(times: Sequence[str]) -> Float64[Array, "beat"]:
    """Seconds since midnight or noon: `7:30:05,31 AM`, `07.30.05,31`, `上午7:30:05.31`."""
    found = []
    for time in times:
        parts = _CLOCK.search(time)
        if parts is None:
            raise _unreadable(time)
        hours, minutes, seconds = (int(one) for one in parts.groups()[:3])
        if hours > 24 or minutes > 59 or seconds > 60:
            raise _unreadable(time)
        fraction = float(f"0.{int(parts[4]):0{len(parts[4])}}") if parts[4] else 0.0
        found.append(hours * 3600.0 + minutes * 60 + seconds + fraction)
    clock_s = np.array(found, dtype=np.float64)
    tenths = clock_s / _COARSE_S
    if clock_s.size >= _COARSE_BEATS and np.abs(tenths - np.rint(tenths)).max() < 1e-4:
        raise UnreadableSeries(
            f"times such as {times[0][:40]!r} have no hundredths of a second, too coarse for beats"
        )
    return clock_s


def _unreadable(time: str) -> UnreadableSeries:
    return UnreadableSeries(f"times such as {time[:40]!r} cannot be read")


def _rate(bpm: str) -> float:
    """Beats per minute; what is no rate is NaN."""
    try:
        found = float(bpm.replace(",", "."))
    except ValueError:
        return float("nan")
    return found if 0 < found < 1000 else float("nan")

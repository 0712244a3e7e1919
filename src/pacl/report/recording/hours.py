"""Minutes of AF and judged minutes of each hour.

There are at most 400 bars: in a longer recording, each stands for several hours.
"""

import math
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.time_axis import TimeAxis
from pacl.spans import seconds_before

MOST_BARS = 400
WIDTHS_H = (1, 2, 3, 6, 12, 24)


@dataclass(frozen=True, eq=False, slots=True)
class HourBars:
    """Hours of the clock where it is known, else of the recording: minutes judged, and in AF.

    A bar is `width_h` hours wide; its minutes are those of a mean hour in it.
    """

    axis: TimeAxis
    width_h: int
    start_h: Float64[Array, "bar"]
    judged_min: Float64[Array, "bar"]
    af_min: Float64[Array, "bar"]

    @property
    def burden(self) -> Float64[Array, "bar"]:
        """Share of the judged time in AF; NaN where nothing was judged."""
        none = np.full_like(self.af_min, np.nan)
        return np.divide(self.af_min, self.judged_min, out=none, where=self.judged_min > 0)


def compute_hours(record: Record, detection: Detection) -> HourBars:
    """Divide the steps among the hours."""
    axis = TimeAxis.of(record)
    width_h, number = _bars(axis)
    start_h = number * float(width_h) - axis.past_midnight_h
    af = detection.af
    judged_s = _within(detection.start_s, detection.end_s, start_h * 3600, width_h * 3600.0)
    af_s = _within(detection.start_s[af], detection.end_s[af], start_h * 3600, width_h * 3600.0)
    return HourBars(axis, width_h, start_h, judged_s / 60 / width_h, af_s / 60 / width_h)


def _bars(axis: TimeAxis) -> tuple[int, Int64[Array, "bar"]]:
    """How many hours a bar is wide, and the number of each from the midnight before second 0."""
    shift = axis.past_midnight_h
    width_h = WIDTHS_H[0]
    widths = iter(WIDTHS_H[1:])
    while True:
        found = [
            (math.floor((low + shift) / width_h), math.ceil((high + shift - 1e-9) / width_h))
            for low, high in axis.blocks
        ]
        if sum(stop - first for first, stop in found) <= MOST_BARS:
            return width_h, np.unique(np.concatenate([np.arange(*one) for one in found]))
        width_h = next(widths, 2 * width_h)


def _within(
    start_s: Float64[Array, "step"],
    end_s: Float64[Array, "step"],
    low_s: Float64[Array, "bar"],
    width_s: float,
) -> Float64[Array, "bar"]:
    """Seconds of all steps in each bar; steps are in order of time."""
    steps = np.stack([start_s, end_s], axis=1)
    return seconds_before(steps, low_s + width_s) - seconds_before(steps, low_s)

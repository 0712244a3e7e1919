"""How much of each hour was AF, and how much of it was judged at all."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.night.judged import SAID_COLOURS, Said, step_af
from pacl.report.night.time_axis import TimeAxis, draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

JUDGED_COLOUR = "#CFE1EE"


@dataclass(frozen=True, eq=False, slots=True)
class HourBars:
    """Hours of the clock where it is known, else of the recording: minutes judged, and in AF."""

    axis: TimeAxis
    start_h: Float64[Array, "hour"]
    judged_min: Float64[Array, "hour"]
    af_min: Float64[Array, "hour"]

    @property
    def burden(self) -> Float64[Array, "hour"]:
        """Share of the judged time in AF; NaN where nothing was judged."""
        none = np.full_like(self.af_min, np.nan)
        return np.divide(self.af_min, self.judged_min, out=none, where=self.judged_min > 0)


def compute_hours(record: Record, detection: Detection) -> HourBars:
    """Share the steps out among the hours."""
    axis = TimeAxis.of(record)
    shift = axis.past_hour_h
    first, stop = math.floor(axis.from_h + shift), math.ceil(axis.to_h + shift - 1e-9)
    start_h = np.arange(first, stop, dtype=np.float64) - shift
    af = step_af(detection)
    judged_min, af_min = np.zeros(start_h.size), np.zeros(start_h.size)
    for at, low_s in enumerate((start_h * 3600).tolist()):
        inside = np.minimum(detection.end_s, low_s + 3600) - np.maximum(detection.start_s, low_s)
        minutes = np.maximum(inside, 0.0) / 60
        judged_min[at], af_min[at] = minutes.sum(), minutes[af].sum()
    return HourBars(axis, start_h, judged_min, af_min)


def draw_hours(picture: HourBars) -> "Figure":
    """Draw the minutes of AF before those that were judged."""
    from matplotlib.patches import Patch

    axis = picture.axis
    legend: dict[str, Any] = {
        "judged": Patch(fc=JUDGED_COLOUR),
        "in AF": Patch(fc=SAID_COLOURS[Said.AF]),
    }
    low = np.maximum(picture.start_h, axis.from_h)
    width = np.minimum(picture.start_h + 1, axis.to_h) - low
    room = 0.04 * np.minimum(width, 1.0)
    bars: dict[str, Any] = {"align": "edge", "width": width - 2 * room, "lw": 0}

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        axes.bar(low + room, picture.judged_min, color=JUDGED_COLOUR, **bars)
        axes.bar(low + room, picture.af_min, color=SAID_COLOURS[Said.AF], **bars)
        axes.set(ylim=(0, 60), yticks=[0, 30, 60], ylabel="minutes")

    return draw_rows(axis, 1.25, draw, legend)

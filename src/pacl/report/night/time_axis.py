"""The axis that all figures over time share: clock time where it is known, rows of days."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pacl.records import Record
from pacl.report.night.judged import extent_s
from pacl.report.night.look import WIDTH, night_style
from pacl.report.style import FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DAY_H = 24.0
MOST_ROWS = 7
MOST_TICKS = 11
STEPS_H = (1 / 60, 2 / 60, 5 / 60, 1 / 6, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48)

LEFT, RIGHT, TOP, BOTTOM, BETWEEN = 0.78, 0.2, 0.36, 0.58, 0.56
"""Inches: the same for every figure over time, so that they line up below each other."""


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """From when to when a recording lasts, in hours from its second 0, and what time that was."""

    from_h: float
    to_h: float
    started: datetime | None

    @classmethod
    def of(cls, record: Record) -> "TimeAxis":
        """The axis of a recording."""
        begins_s, ends_s = extent_s(record)
        return cls(begins_s / 3600, max(ends_s, begins_s + 1.0) / 3600, record.started)

    @property
    def past_hour_h(self) -> float:
        """How far second 0 lies past a whole hour of the clock."""
        if self.started is None:
            return 0.0
        return (self.started.minute * 60 + self.started.second) / 3600

    def rows(self) -> tuple[tuple[float, float], ...]:
        """One row up to a day or so, else a row for each day or for several."""
        total = self.to_h - self.from_h
        if total <= DAY_H + 2:
            return ((self.from_h, self.to_h),)
        row_h = DAY_H * math.ceil(total / DAY_H / MOST_ROWS)
        return tuple(
            (self.from_h + at * row_h, self.from_h + (at + 1) * row_h)
            for at in range(math.ceil(total / row_h - 1e-9))
        )

    def ticks(self, from_h: float, to_h: float) -> tuple[tuple[float, str], ...]:
        """Round times within a row, and what to write at them."""
        wanted = (to_h - from_h) / MOST_TICKS
        step = next((one for one in STEPS_H if one >= wanted), STEPS_H[-1])
        shift = self.past_hour_h + (self.started.hour if self.started else 0)
        first, last = math.ceil((from_h + shift) / step - 1e-9), (to_h + shift) / step + 1e-9
        places = [number * step - shift for number in range(first, math.floor(last) + 1)]
        if self.started is None:
            unit = 1 if self._in_hours else 60
            return tuple((at, f"{round(at * unit, 4):g}") for at in places)
        clock = [self.started + timedelta(hours=at, seconds=0.5) for at in places]
        return tuple((at, f"{time:%H:%M}") for at, time in zip(places, clock, strict=True))

    @property
    def _in_hours(self) -> bool:
        from_h, to_h = self.rows()[0]
        return to_h - from_h > 3

    @property
    def label(self) -> str:
        """What the axis is."""
        if self.started is not None:
            return "time of day"
        return f"{'hours' if self._in_hours else 'minutes'} from the start of the recording"

    def day(self, at_h: float) -> str:
        """The date, where it is known."""
        if self.started is None:
            return ""
        return f"{self.started + timedelta(hours=at_h, seconds=0.5):%a %d %b %Y}"


def draw_rows(
    axis: TimeAxis,
    row_in: float,
    draw: "Callable[[Axes, float, float], None]",
    legend: Mapping[str, Any],
) -> "Figure":
    """Draw a panel for every row; `draw` is given the axes and the time they span."""
    from matplotlib.figure import Figure

    rows = axis.rows()
    height = TOP + BOTTOM + len(rows) * row_in + (len(rows) - 1) * BETWEEN
    with night_style():
        figure = Figure(figsize=(WIDTH, height))
        for number, (from_h, to_h) in enumerate(rows):
            bottom = height - TOP - row_in - number * (row_in + BETWEEN)
            axes = figure.add_axes(
                (LEFT / WIDTH, bottom / height, 1 - (LEFT + RIGHT) / WIDTH, row_in / height)
            )
            axes.set_xlim(from_h, to_h)
            draw(axes, from_h, to_h)
            ticks = axis.ticks(from_h, to_h)
            axes.set_xticks([at for at, _ in ticks], [text for _, text in ticks])
            axes.grid(axis="y", color=FAINT, lw=0.4)
            axes.set_axisbelow(True)
            axes.set_title(axis.day(from_h), color=INK, pad=8)
        axes.set_xlabel(axis.label)
        figure.legend(
            list(legend.values()),
            list(legend),
            loc="upper right",
            bbox_to_anchor=(1 - RIGHT / WIDTH, 1.0),
            ncols=len(legend),
            borderaxespad=0.1,
            handletextpad=0.4,
            columnspacing=1.2,
        )
    return figure

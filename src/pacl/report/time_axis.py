"""The time axis that figures of recordings share: time of day where it is known, rows of days.

```
recorded     |-----|  |---|       |---|             |--|      two days and more between
blocks       |----- 0 ----|       |-- 1 --|          | 2|      a pause above a day is left out
rows         |-day-|-day-|        |-day--|           |-day-|   at most seven
```
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.records import Record
from pacl.report.style import INK, RECORDING_WIDTH, draw_grid, recording_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DAY_H = 24.0
LEAST_H, ROUNDING_H = 1 / 3600, 1e-7
MOST_ROWS = 7
MOST_TICKS = 11
STEPS_H = (1 / 60, 2 / 60, 5 / 60, 1 / 6, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0)

LEAST_WIDTH = 1 / 500
"""Least share of a panel that a stretch takes, so that it can be seen."""

Stretch = tuple[float, float]
"""From when to when."""

LEFT, RIGHT, TOP, BOTTOM, BETWEEN = 0.78, 0.2, 0.36, 0.58, 0.56
"""Inches: the same for all figures over time, so that they line up below each other."""


def extent_s(record: Record) -> tuple[float, float]:
    """When the first interval begins and the last ends."""
    return float(record.file_onset_s[0]), float(record.onset_s()[-1] + record.rr_ms[-1] / 1000.0)


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Blocks of time that are drawn, in hours from second 0, and the time of day of second 0.

    `left_out` counts the shorter blocks that are not drawn, where there are more than rows.
    """

    blocks: tuple[Stretch, ...]
    started: datetime | None
    left_out: int = 0

    @classmethod
    def of(cls, record: Record) -> "TimeAxis":
        """The axis of a recording; pauses of more than a day are left out."""
        starts, stops = np.array(record.stretches(), dtype=np.int64).reshape(-1, 2).T
        onset_s, last = record.onset_s(), stops - 1
        low_h, high_h = onset_s[starts] / 3600, (onset_s[last] + record.rr_ms[last] / 1000) / 3600
        recorded = zip(low_h.tolist(), high_h.tolist(), strict=True)
        ends = [(at_s / 3600, at_s / 3600) for at_s in extent_s(record)]
        blocks = [(low, max(high, low + LEAST_H)) for low, high in _blocks([*recorded, *ends])]
        kept = sorted(sorted(blocks, key=lambda one: one[0] - one[1])[:MOST_ROWS])
        return cls(tuple(kept), record.started, len(blocks) - len(kept))

    @property
    def from_h(self) -> float:
        """Where the first block begins."""
        return self.blocks[0][0]

    @property
    def to_h(self) -> float:
        """Where the last block ends."""
        return self.blocks[-1][1]

    def shown_h(self, stretches_s: Iterable[Stretch]) -> tuple[Stretch, ...]:
        """Stretches that overlap a block, in hours."""
        hours = [(low / 3600, high / 3600) for low, high in stretches_s]
        return tuple(
            (low, high)
            for low, high in hours
            if any(
                low < end - ROUNDING_H and high > begin + ROUNDING_H for begin, end in self.blocks
            )
        )

    @property
    def note(self) -> str:
        """What is not drawn; empty if everything is."""
        if len(self.blocks) == 1:
            return ""
        if not self.left_out:
            return "Pauses of more than a day are left out; a new row starts after each."
        return (
            f"Pauses of more than a day are left out. Drawn are the {len(self.blocks)} longest of "
            f"{len(self.blocks) + self.left_out:,} stretches between them."
        )

    @property
    def past_midnight_h(self) -> float:
        """Hours from midnight to second 0; 0 where the time of day is not known."""
        if self.started is None:
            return 0.0
        return self.started.hour + (self.started.minute * 60 + self.started.second) / 3600

    def rows(self) -> tuple[Stretch, ...]:
        """Equally long rows: one for each block up to a day or so, else of one day or several."""
        longest = max(high - low for low, high in self.blocks)
        if longest <= DAY_H + 2:
            return tuple((low, low + longest) for low, _ in self.blocks)
        days = next(
            days
            for days in range(1, math.ceil(longest / DAY_H) + 1)
            if sum(_parts(block, DAY_H * days) for block in self.blocks) <= MOST_ROWS
        )
        row_h = DAY_H * days
        return tuple(
            (block[0] + at * row_h, block[0] + (at + 1) * row_h)
            for block in self.blocks
            for at in range(_parts(block, row_h))
        )

    def ticks(self, from_h: float, to_h: float) -> tuple[tuple[float, str], ...]:
        """Round times within a row, and their labels."""
        step, shift = _step(to_h - from_h), self.past_midnight_h
        first, last = math.ceil((from_h + shift) / step - 1e-9), (to_h + shift) / step + 1e-9
        places = [number * step - shift for number in range(first, math.floor(last) + 1)]
        if self.started is None:
            unit = 1 if self._in_hours else 60
            return tuple((at, f"{round(at * unit, 4):g}") for at in places)
        clock = [self.started + timedelta(hours=at, seconds=0.5) for at in places]
        form = "%H:%M" if step < DAY_H else "%d %b"
        return tuple((at, f"{time:{form}}") for at, time in zip(places, clock, strict=True))

    @property
    def _in_hours(self) -> bool:
        from_h, to_h = self.rows()[0]
        return to_h - from_h > 3

    @property
    def label(self) -> str:
        """The label of the axis."""
        if self.started is not None:
            from_h, to_h = self.rows()[0]
            return "time of day" if _step(to_h - from_h) < DAY_H else "date"
        return f"{'hours' if self._in_hours else 'minutes'} from the start of the recording"

    def day(self, at_h: float) -> str:
        """The date, where it is known."""
        if self.started is None:
            return ""
        return f"{self.started + timedelta(hours=at_h, seconds=0.5):%a %d %b %Y}"


def _blocks(recorded: Iterable[Stretch]) -> list[Stretch]:
    """Join what is less than a day apart; drop those without duration if there are others."""
    found: list[Stretch] = []
    for low, high in sorted(recorded):
        if found and low - found[-1][1] <= DAY_H:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return [one for one in found if one[1] > one[0]] or found[:1]


def _parts(block: Stretch, row_h: float) -> int:
    """Rows that a block takes."""
    return math.ceil((block[1] - block[0]) / row_h - 1e-9)


def _step(row_h: float) -> float:
    """Hours from a tick to the next."""
    wanted = row_h / MOST_TICKS
    return next((one for one in STEPS_H if one >= wanted), DAY_H * math.ceil(wanted / DAY_H))


def in_panel(
    stretches: Iterable[Sequence[float]], low: float, high: float, least: float = LEAST_WIDTH
) -> list[Stretch]:
    """The start and the width of stretches within a panel."""
    inside = [(max(start, low), min(end, high)) for start, end in stretches]
    least *= high - low
    return [(start, max(end - start, least)) for start, end in inside if end > start]


def label_row(axes: "Axes", axis: TimeAxis, from_h: float, to_h: float) -> None:
    """Ticks at round times, and horizontal lines."""
    ticks = axis.ticks(from_h, to_h)
    axes.set_xlim(from_h, to_h)
    axes.set_xticks([at for at, _ in ticks], [text for _, text in ticks])
    draw_grid(axes, "y")


def draw_rows(
    axis: TimeAxis,
    row_in: float,
    draw: "Callable[[Axes, float, float], None]",
    legend: Mapping[str, Any],
) -> "Figure":
    """Draw a panel for each row; `draw` gets the axes and the time they span."""
    from matplotlib.figure import Figure

    rows = axis.rows()
    height = TOP + BOTTOM + len(rows) * row_in + (len(rows) - 1) * BETWEEN
    with recording_style():
        figure = Figure(figsize=(RECORDING_WIDTH, height))
        for number, (from_h, to_h) in enumerate(rows):
            bottom = height - TOP - row_in - number * (row_in + BETWEEN)
            axes = figure.add_axes(
                (
                    LEFT / RECORDING_WIDTH,
                    bottom / height,
                    1 - (LEFT + RIGHT) / RECORDING_WIDTH,
                    row_in / height,
                )
            )
            axes.set_xlim(from_h, to_h)
            draw(axes, from_h, to_h)
            label_row(axes, axis, from_h, to_h)
            axes.set_title(axis.day(from_h), color=INK, pad=8)
        axes.set_xlabel(axis.label)
        figure.legend(
            list(legend.values()),
            list(legend),
            loc="upper right",
            bbox_to_anchor=(1 - RIGHT / RECORDING_WIDTH, 1.0),
            ncols=len(legend),
            borderaxespad=0.1,
            handletextpad=0.4,
            columnspacing=1.2,
        )
    return figure

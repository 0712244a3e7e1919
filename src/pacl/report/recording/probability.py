"""How likely AF is at each step of a recording."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.recording.decisions import TOLERANCE_S, silences_s
from pacl.report.recording.shading import Stretch, hatched_handle, shade, shaded_handle
from pacl.report.recording.time_axis import TimeAxis, draw_rows
from pacl.report.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


EVEN = 0.5
COLUMNS = 1500
"""Of a row. What lies in one is drawn by its first, lowest, highest and last step."""


@dataclass(frozen=True, eq=False, slots=True)
class ProbabilityPicture:
    """Steps with their probability; those that are `linked` go on where the one before ends."""

    axis: TimeAxis
    start_h: Float64[Array, "step"]
    end_h: Float64[Array, "step"]
    probability: Float64[Array, "step"]
    linked: Bool[Array, "step"]
    af_h: tuple[Stretch, ...]
    silent_h: tuple[Stretch, ...]

    def outline(self) -> tuple[Float64[Array, "corner"], Float64[Array, "corner"]]:
        """Corners of the steps, in hours and in probability, broken (NaN) where none is linked."""
        hours = np.stack([np.full_like(self.start_h, np.nan), self.start_h, self.end_h], axis=1)
        likely = np.stack([np.full_like(self.start_h, np.nan), *[self.probability] * 2], axis=1)
        kept = np.ones(hours.shape, dtype=bool)
        kept[:, 0] = ~self.linked
        return hours[kept], likely[kept]


def compute_probability(record: Record, detection: Detection) -> ProbabilityPicture:
    """Compute the steps of a recording."""
    linked = np.zeros(detection.start_s.size, dtype=bool)
    linked[1:] = np.abs(detection.start_s[1:] - detection.end_s[:-1]) <= TOLERANCE_S
    axis = TimeAxis.of(record)
    from_h, to_h = axis.rows()[0]
    column = np.floor(detection.start_s / 3600 / ((to_h - from_h) / COLUMNS))
    kept = _drawn(np.maximum.accumulate(column), detection.probability, linked)
    return ProbabilityPicture(
        axis=axis,
        start_h=detection.start_s[kept] / 3600,
        end_h=detection.end_s[kept] / 3600,
        probability=detection.probability[kept],
        linked=linked[kept],
        af_h=tuple((one.start_s / 3600, one.end_s / 3600) for one in detection.episodes),
        silent_h=axis.shown_h(silences_s(record, detection)),
    )


def _drawn(
    column: Float64[Array, "step"], probability: Float64[Array, "step"], linked: Bool[Array, "step"]
) -> Bool[Array, "step"]:
    """Steps without which the line would look different: ends and extremes of each column."""
    kept = ~linked
    kept[:-1] |= ~linked[1:]
    first = np.append(True, np.diff(column) != 0)[: column.size]
    kept |= first | np.roll(first, -1)
    ordered = np.lexsort([probability, column])  # in each column from the lowest to the highest
    lowest = np.flatnonzero(first)
    kept[ordered[lowest]] = True
    kept[ordered[np.append(lowest[1:], column.size)[: lowest.size] - 1]] = True
    return kept


def draw_probability(picture: ProbabilityPicture) -> "Figure":
    """Draw the steps, and the line above which AF is likelier than not."""
    from matplotlib.lines import Line2D

    hours, likely = picture.outline()
    threshold: dict[str, Any] = {"color": INK, "lw": 0.8, "ls": (0, (4, 3))}
    legend: dict[str, Any] = {"even odds": Line2D([], [], **threshold)}
    if picture.af_h:
        legend["AF"] = shaded_handle()
    if picture.silent_h:
        legend["not judged"] = hatched_handle()

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        shade(axes, picture.af_h, picture.silent_h)
        axes.axhline(EVEN, **threshold)
        axes.plot(hours, likely, color=INK, lw=0.9, solid_joinstyle="miter")
        axes.set(ylim=(-0.03, 1.03), yticks=[0, 0.5, 1], ylabel="probability")

    return draw_rows(picture.axis, 1.15, draw, legend)

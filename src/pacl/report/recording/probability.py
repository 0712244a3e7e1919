"""The probability of AF at each step of a recording."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.page import FigureBlock, recording_block
from pacl.report.recording.decisions import TOLERANCE_S, not_judged_s, shade, shade_legend
from pacl.report.style import INK
from pacl.report.time_axis import Stretch, TimeAxis, draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


ONE_HALF = 0.5
COLUMNS = 1500
"""Of a row. In each, the first, lowest, highest and last step are drawn."""


@dataclass(frozen=True, eq=False, slots=True)
class ProbabilityPicture:
    """Steps with their probability; a `linked` step starts where the one before ends."""

    axis: TimeAxis
    start_h: Float64[Array, "step"]
    end_h: Float64[Array, "step"]
    probability: Float64[Array, "step"]
    linked: Bool[Array, "step"]
    af_h: tuple[Stretch, ...]
    not_judged_h: tuple[Stretch, ...]

    def outline(self) -> tuple[Float64[Array, "corner"], Float64[Array, "corner"]]:
        """Corners of the steps, in hours and probability; NaN between those that are not linked."""
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
        not_judged_h=axis.shown_h(not_judged_s(record, detection)),
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
    """Draw the steps, and a line at one half."""
    from matplotlib.lines import Line2D

    hours, likely = picture.outline()
    threshold: dict[str, Any] = {"color": INK, "lw": 0.8, "ls": (0, (4, 3))}
    legend: dict[str, Any] = {"one half": Line2D([], [], **threshold)}
    legend |= shade_legend(bool(picture.af_h), bool(picture.not_judged_h))

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        shade(axes, picture.af_h, picture.not_judged_h)
        axes.axhline(ONE_HALF, **threshold)
        axes.plot(hours, likely, color=INK, lw=0.9, solid_joinstyle="miter")
        axes.set(ylim=(-0.03, 1.03), yticks=[0, 0.5, 1], ylabel="probability")

    return draw_rows(picture.axis, 1.15, draw, legend)


def probability_block(record: Record, detection: Detection) -> FigureBlock:
    """The figure on the page."""
    return recording_block(
        "probability",
        draw_probability(compute_probability(record, detection)),
        "Probability of AF over time, with a line at one half, and AF shaded",
        "**Probability of AF** from the intervals around each moment. Shaded: detected as AF. "
        "A few beats above one half are not enough.",
    )

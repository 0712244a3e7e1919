"""How likely AF is at each step of a recording."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.night.judged import TOLERANCE_S, silences_s
from pacl.report.night.shading import Stretch, hatched_handle, shade, shaded_handle
from pacl.report.night.time_axis import TimeAxis, draw_rows
from pacl.report.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


EVEN = 0.5


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
    return ProbabilityPicture(
        axis=axis,
        start_h=detection.start_s / 3600,
        end_h=detection.end_s / 3600,
        probability=detection.probability,
        linked=linked,
        af_h=tuple((one.start_s / 3600, one.end_s / 3600) for one in detection.episodes),
        silent_h=axis.shown_h(silences_s(record, detection)),
    )


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

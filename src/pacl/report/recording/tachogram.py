"""All RR intervals of a recording over time, coloured by what was decided for each beat."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.detect import Detection
from pacl.records import Record
from pacl.report.page import FigureBlock, recording_block
from pacl.report.recording.decisions import (
    DECISION_COLOURS,
    DECISION_NAMES,
    Decision,
    beat_decisions,
    not_judged_s,
    shade,
    shade_legend,
)
from pacl.report.tachogram import Tachogram, compute_tachogram, draw_tachogram
from pacl.report.time_axis import Stretch, TimeAxis, draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_DOTS = 20_000


@dataclass(frozen=True, eq=False, slots=True)
class DetectionTachogram:
    """Intervals with their decisions, stretches of AF, and what was not judged."""

    axis: TimeAxis
    dots: Tachogram
    af_h: tuple[Stretch, ...]
    not_judged_h: tuple[Stretch, ...]


def compute_detection_tachogram(record: Record, detection: Detection) -> DetectionTachogram:
    """Compute the picture; of a long recording, some intervals are left out."""
    axis = TimeAxis.of(record)
    return DetectionTachogram(
        axis=axis,
        dots=compute_tachogram(record, beat_decisions(record, detection), MOST_DOTS),
        af_h=tuple((one.start_s / 3600, one.end_s / 3600) for one in detection.episodes),
        not_judged_h=axis.shown_h(not_judged_s(record, detection)),
    )


def draw_detection_tachogram(picture: DetectionTachogram) -> "Figure":
    """Draw one dot per interval, with AF shaded and what was not judged hatched."""
    from matplotlib.lines import Line2D

    present = [one for one in Decision if np.any(picture.dots.kind == one)]
    legend: dict[str, Any] = {
        DECISION_NAMES[one]: Line2D([], [], marker="o", ls="", ms=4, color=DECISION_COLOURS[one])
        for one in (Decision.NOT_AF, Decision.AF)
        if one in present
    }
    legend |= shade_legend(af=False, not_judged=bool(picture.not_judged_h))

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        shade(axes, picture.af_h, picture.not_judged_h)
        draw_tachogram(axes, picture.dots, {one: DECISION_COLOURS[one] for one in present})
        axes.set_yticks([500, 1000, 1500, 2000])

    return draw_rows(picture.axis, 2.1, draw, legend)


def tachogram_block(record: Record, detection: Detection) -> FigureBlock:
    """The figure on the page."""
    some = f" {MOST_DOTS:,} of {len(record):,} intervals are drawn, with all extremes."
    return recording_block(
        "tachogram",
        draw_detection_tachogram(compute_detection_tachogram(record, detection)),
        "All RR intervals over time, with AF shaded and what was not judged hatched",
        "**All RR intervals.** The time from one beat to the next; a low value is a fast heart "
        "rate. Intervals outside 200-2000 ms are on the edge." + some * (len(record) > MOST_DOTS),
    )

"""Every RR interval of a recording over time, with what was said of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float64, Int8, Int64, Real
from pacl.detect import Detection
from pacl.records import GAP_MS, PLAUSIBLE_MS, Record
from pacl.report.recording.decisions import SAID_COLOURS, SAID_NAMES, Said, said_of, silences_s
from pacl.report.recording.shading import Stretch, hatched_handle, shade
from pacl.report.recording.time_axis import TimeAxis, draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_DOTS = 20_000


@dataclass(frozen=True, eq=False, slots=True)
class RecordingTachogram:
    """Intervals, what was said of each (a `Said`), stretches of AF and of silence."""

    axis: TimeAxis
    onset_h: Float64[Array, "dot"]
    rr_ms: Real[Array, "dot"]
    said: Int8[Array, "dot"]
    af_h: tuple[Stretch, ...]
    silent_h: tuple[Stretch, ...]


def compute_tachogram(
    record: Record, detection: Detection, most: int = MOST_DOTS
) -> RecordingTachogram:
    """Compute the picture; a gap is no beat. Above `most` intervals, some are left out."""
    beats = np.flatnonzero(record.rr_ms <= GAP_MS)
    kept = beats[thinned(record.rr_ms[beats], most)]
    axis = TimeAxis.of(record)
    return RecordingTachogram(
        axis=axis,
        onset_h=record.onset_s()[kept] / 3600,
        rr_ms=record.rr_ms[kept],
        said=said_of(record, detection)[kept],
        af_h=tuple((one.start_s / 3600, one.end_s / 3600) for one in detection.episodes),
        silent_h=axis.shown_h(silences_s(record, detection)),
    )


def thinned(values: Real[Array, "beat"], most: int) -> Int64[Array, "dot"]:
    """Which values to draw: evenly chosen ones, and the lowest and highest of each neighbourhood.

    Half of the dots are chosen evenly; the others are the extremes of as many parts, so that no
    peak is lost.
    """
    if values.size <= most:
        return np.arange(values.size)
    parts = max(most // 4, 1)
    part = np.arange(values.size) * parts // values.size
    order = np.lexsort((values, part))
    first = np.searchsorted(part, np.arange(parts))
    last = np.append(first[1:], values.size) - 1
    even = np.linspace(0, values.size - 1, most - 2 * parts).astype(np.int64)
    return np.unique(np.concatenate([even, order[first], order[last]]))


def draw_tachogram(picture: RecordingTachogram) -> "Figure":
    """Draw a dot an interval; those outside 200-2000 ms lie on the edge."""
    from matplotlib.lines import Line2D

    present = [one for one in Said if np.any(picture.said == one)]
    legend: dict[str, Any] = {
        SAID_NAMES[one]: Line2D([], [], marker="o", ls="", ms=4, color=SAID_COLOURS[one])
        for one in (Said.NOT_AF, Said.AF)
        if one in present
    }
    if picture.silent_h:
        legend[SAID_NAMES[Said.NOTHING]] = hatched_handle()

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        shade(axes, picture.af_h, picture.silent_h)
        part = slice(*np.searchsorted(picture.onset_h, [from_h, to_h]))
        rr_ms = np.clip(picture.rr_ms[part], *PLAUSIBLE_MS)
        size, alpha = (1.0, 0.45) if rr_ms.size > 4000 else (5.0, 0.7)
        for one in present:
            of = picture.said[part] == one
            axes.scatter(
                picture.onset_h[part][of],
                rr_ms[of],
                s=size,
                c=SAID_COLOURS[one],
                alpha=alpha,
                lw=0,
                rasterized=True,
            )
        axes.set(ylim=PLAUSIBLE_MS, yticks=[500, 1000, 1500, 2000], ylabel="RR (ms)")

    return draw_rows(picture.axis, 2.1, draw, legend)

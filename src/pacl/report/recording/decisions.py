"""What was decided for each beat of a recording, which time was not judged, and how both look."""

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float64, Int8
from pacl.detect import Detection, NotJudged
from pacl.records import GAP_MS, Record, Rhythm
from pacl.report.style import RHYTHM_COLOURS
from pacl.report.time_axis import Stretch, extent_s, in_panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_NOT_JUDGED_S = 1.0
"""Shortest time that is shown as not judged; shorter ones are beats that were left out."""
TOLERANCE_S = 1e-6
"""Rounding error of sums of intervals."""

PAUSE = "nothing was recorded between two files"
REST = "a few beats beside the judged ones"


class Decision(IntEnum):
    """What was decided for a beat."""

    NOT_JUDGED = -1
    NOT_AF = 0
    AF = 1


DECISION_COLOURS = {
    Decision.NOT_JUDGED: "#5A5A5A",
    Decision.NOT_AF: RHYTHM_COLOURS[Rhythm.SR],
    Decision.AF: RHYTHM_COLOURS[Rhythm.AF],
}
DECISION_NAMES = {
    Decision.NOT_JUDGED: "not judged",
    Decision.NOT_AF: "not AF",
    Decision.AF: "AF",
}
_HATCHED: dict[str, Any] = {"facecolor": "#F6F6F6", "edgecolor": "#C4C4C4", "hatch": "////"}
_SHADED: dict[str, Any] = {"facecolor": DECISION_COLOURS[Decision.AF], "alpha": 0.13, "lw": 0}


def beat_decisions(record: Record, detection: Detection) -> Int8[Array, "beat"]:
    """The decision for each beat: that of the step in which it begins."""
    found = np.full(len(record), Decision.NOT_JUDGED, np.int8)
    if not detection.start_s.size:
        return found
    onset_s = record.onset_s()
    step = np.searchsorted(detection.start_s, onset_s + TOLERANCE_S, side="right") - 1
    inside = (step >= 0) & (onset_s + TOLERANCE_S < detection.end_s[step])
    found[inside] = detection.af[step[inside]]
    return found


def judges_beats(detection: Detection) -> bool:
    """Whether the detector judged single beats, not steps of many beats."""
    beats = round((1.0 - detection.quality.not_judged) * detection.quality.beats)
    return detection.start_s.size == beats


def not_judged_s(record: Record, detection: Detection) -> tuple[Stretch, ...]:
    """All time that no step covers, whatever the reason."""
    begins_s, ends_s = extent_s(record)
    if not detection.start_s.size:
        return ((begins_s, ends_s),)
    low: Float64[Array, "stretch"] = np.maximum.accumulate(np.append(begins_s, detection.end_s))
    high = np.append(detection.start_s, ends_s)
    long = high - low >= LEAST_NOT_JUDGED_S
    return tuple(zip(low[long].tolist(), high[long].tolist(), strict=True))


def not_judged_reasons(record: Record, detection: Detection) -> tuple[NotJudged, ...]:
    """What was not judged and why, in order of time; also where the detection gives no reason."""
    onset_s = record.onset_s()
    pauses = [
        NotJudged(float(low), float(onset_s[at]), PAUSE)
        for at in record.file_starts[1:].tolist()
        for low in [onset_s[at - 1] + record.rr_ms[at - 1] / 1000.0]
        if onset_s[at] - low > GAP_MS / 1000
    ]
    found = [*detection.not_judged, *pauses]
    begins = np.sort([one.start_s for one in found])
    ends = np.sort([one.end_s for one in found])
    rest = [
        NotJudged(low, high, REST)
        for low, high in not_judged_s(record, detection)
        # As many end before it as begin before its end: none of them overlaps it.
        if high > low and np.searchsorted(begins, high) == np.searchsorted(ends, low, side="right")
    ]
    return tuple(sorted([*found, *rest], key=lambda one: one.start_s))


def shade(axes: "Axes", af_h: Sequence[Stretch], not_judged_h: Sequence[Stretch]) -> None:
    """Shade AF and hatch what was not judged, over the full height of a panel."""
    place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "zorder": 0}
    low, high = axes.get_xlim()
    axes.broken_barh(in_panel(not_judged_h, low, high), (0.0, 1.0), lw=0, **_HATCHED, **place)
    axes.broken_barh(in_panel(af_h, low, high), (0.0, 1.0), **_SHADED, **place)


def shade_legend(af: bool, not_judged: bool) -> "dict[str, Any]":
    """The entries of a legend for what `shade` draws."""
    from matplotlib.patches import Patch

    shaded = {"AF": Patch(**_SHADED | {"alpha": 0.3})} if af else {}
    hatched = {"not judged": Patch(lw=0, **_HATCHED)} if not_judged else {}
    return shaded | hatched

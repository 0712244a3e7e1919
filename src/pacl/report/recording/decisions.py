"""What was decided for each beat of a recording, which time was not judged, and how both look."""

from enum import IntEnum

import numpy as np

from pacl.axes import Array, Float64, Int8, Int64
from pacl.detect import Detection, NotJudged
from pacl.records import GAP_MS, Record, Rhythm
from pacl.report.style import RHYTHM_COLOURS
from pacl.report.time_axis import Stretch, extent_s

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


def beat_steps(record: Record, detection: Detection) -> Int64[Array, "beat"]:
    """The step in which each beat begins; -1 where none does."""
    if not detection.start_s.size:
        return np.full(len(record), -1)
    onset_s = record.onset_s() + TOLERANCE_S
    step = np.searchsorted(detection.start_s, onset_s, side="right") - 1
    found: Int64[Array, "beat"] = np.where(onset_s < detection.end_s[step], step, -1)
    return found


def decided(detection: Detection, step: Int64[Array, "beat"]) -> Int8[Array, "beat"]:
    """The decision of each step; not judged where there is none."""
    found = np.full(step.size, Decision.NOT_JUDGED, np.int8)
    found[step >= 0] = detection.af[step[step >= 0]]
    return found


def beat_decisions(record: Record, detection: Detection) -> Int8[Array, "beat"]:
    """The decision for each beat: that of the step in which it begins."""
    return decided(detection, beat_steps(record, detection))


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

"""What was said of each beat of a recording, and of which time nothing was said."""

from enum import IntEnum

import numpy as np

from pacl.axes import Array, Float64, Int8
from pacl.detect import Detection, NotJudged
from pacl.records import GAP_MS, Record, Rhythm
from pacl.report.style import RHYTHM_COLOURS

LEAST_SILENCE_S = 1.0
"""Time that is not judged is shown from here on; what is shorter is a beat that was left out."""

TOLERANCE_S = 1e-6
"""Sums of intervals may differ by so much."""

PAUSE = "nothing was recorded between two files"
REST = "a few beats beside what could be judged"


class Said(IntEnum):
    """What was said of a beat."""

    NOTHING = -1
    NOT_AF = 0
    AF = 1


SAID_COLOURS = {
    Said.NOTHING: "#5A5A5A",
    Said.NOT_AF: RHYTHM_COLOURS[Rhythm.SR],
    Said.AF: RHYTHM_COLOURS[Rhythm.AF],
}
SAID_NAMES = {Said.NOTHING: "not judged", Said.NOT_AF: "not AF", Said.AF: "AF"}


def said_of(record: Record, detection: Detection) -> Int8[Array, "beat"]:
    """What was said of each beat: that of the step in which it begins."""
    found = np.full(len(record), Said.NOTHING, np.int8)
    if not detection.start_s.size:
        return found
    onset_s = record.onset_s()
    step = np.searchsorted(detection.start_s, onset_s + TOLERANCE_S, side="right") - 1
    inside = (step >= 0) & (onset_s + TOLERANCE_S < detection.end_s[step])
    found[inside] = detection.af[step[inside]]
    return found


def judges_beats(detection: Detection) -> bool:
    """Whether every beat was judged by itself, not steps of many beats."""
    beats = round((1.0 - detection.quality.not_judged) * detection.quality.beats)
    return detection.start_s.size == beats


def extent_s(record: Record) -> tuple[float, float]:
    """When the first interval begins and the last ends."""
    return float(record.file_onset_s[0]), float(record.onset_s()[-1] + record.rr_ms[-1] / 1000.0)


def silences_s(record: Record, detection: Detection) -> tuple[tuple[float, float], ...]:
    """All time that no step covers, whatever the reason."""
    begins_s, ends_s = extent_s(record)
    if not detection.start_s.size:
        return ((begins_s, ends_s),)
    low: Float64[Array, "silence"] = np.maximum.accumulate(np.append(begins_s, detection.end_s))
    high = np.append(detection.start_s, ends_s)
    long = high - low >= LEAST_SILENCE_S
    return tuple(zip(low[long].tolist(), high[long].tolist(), strict=True))


def reasons(record: Record, detection: Detection) -> tuple[NotJudged, ...]:
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
        for low, high in silences_s(record, detection)
        # As many end before it as begin before its end: none of them overlaps it.
        if high > low and np.searchsorted(begins, high) == np.searchsorted(ends, low, side="right")
    ]
    return tuple(sorted([*found, *rest], key=lambda one: one.start_s))

"""Spans of time, and those that a detector's answer is compared with the truth on.

```
annotated   | not AF |   AF    | flutter |  AF  | nothing | not AF |  gap  | not AF |
judged         |------------------------------------------------|           |------|
counted        |---------------|         |------|         |-----|           |------|
true AF              |---------|         |------|
```

Times are sums of many intervals; `pacl.spans` keeps rounding from parting them.
"""

from dataclasses import dataclass, field

import numpy as np

from pacl.axes import Array, Float64
from pacl.cohort.all_beats import AllBeatsProtocol
from pacl.detect.detection import Detection
from pacl.records import Record, Rhythm
from pacl.spans import Spans, intersect, joined


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """What is compared in one recording.

    Parameters
    ----------
    true
        AF as annotated, each span an episode.
    detected
        AF as detected, each span an episode.
    counted
        Time that is annotated as AF or as known not to be, and judged by the detector. Only what
        lies in it speaks for or against the detector.
    beats_s
        The middle of each beat's interval, in order. Without them nothing is counted in beats.
    """

    true: Spans
    detected: Spans
    counted: Spans
    beats_s: Float64[Array, "beat"] = field(default_factory=lambda: np.empty(0))


def in_beats(spans: Spans, beats_s: Float64[Array, "beat"]) -> Spans:
    """Spans of time as spans of beats: the first beat in them, and the first after them.

    A beat is in a span if the middle of its interval is: rounding cannot move it out.
    """
    return np.searchsorted(beats_s, spans).astype(np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class Annotated:
    """Time annotated as AF, and time annotated as AF or as known not to be."""

    af: Spans
    known: Spans


def annotated_spans(record: Record) -> Annotated:
    """What the annotations of a recording say of AF.

    Rhythms other than SR and AF are known not to be AF, but for atrial flutter, which counts as
    neither, as does what is not annotated or a calibration signal; `annotated_as` reads flutter and
    what is not annotated differently. Missing signal (an interval above 10 s, time between files)
    counts as neither, and ends an episode. A beat's rhythm lasts until the next beat.
    """
    excerpts = [one for share in AllBeatsProtocol().select(record).shares for one in share.excerpts]
    stretches = np.array(record.stretches(), dtype=np.float64).reshape(-1, 2)
    begins_s = record.onset_s()
    ends_s = begins_s + record.rr_ms / 1000.0

    def seconds(rhythms: tuple[Rhythm, ...]) -> Spans:
        of = [(float(one.start), float(one.stop)) for one in excerpts if one.rhythm in rhythms]
        beats = intersect(np.array(of).reshape(-1, 2), stretches).astype(np.int64)
        return joined(np.stack([begins_s[beats[:, 0]], ends_s[beats[:, 1] - 1]], axis=1))

    return Annotated(seconds((Rhythm.AF,)), seconds((Rhythm.SR, Rhythm.AF)))


def judged_spans(detection: Detection) -> Spans:
    """Time that the detector judged."""
    return joined(np.stack([detection.start_s, detection.end_s], axis=1))


def middles_s(record: Record) -> Float64[Array, "beat"]:
    """The middle of each beat's interval, in order of time."""
    middles = record.onset_s() + record.rr_ms / 2000.0
    return np.sort(middles, kind="stable")  # quick where they are in order already


def compared_spans(record: Record, detection: Detection) -> Compared:
    """What a detection and the annotations of its recording can be compared on.

    Time that is annotated as neither AF nor known not to be (`annotated_spans`), and time that the
    detector does not judge, counts as neither; but the annotated episode around it stays one.
    """
    annotated = annotated_spans(record)
    return Compared(
        true=annotated.af,
        detected=joined((one.start_s, one.end_s) for one in detection.episodes),
        counted=intersect(annotated.known, judged_spans(detection)),
        beats_s=middles_s(record),
    )

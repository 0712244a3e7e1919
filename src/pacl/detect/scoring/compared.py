"""The time in which detected AF is compared with annotated AF.

```
annotated   | not AF |   AF    | flutter |  AF  | nothing | not AF |  gap  | not AF |
judged         |------------------------------------------------|           |------|
counted        |---------------|         |------|         |-----|           |------|
true AF              |---------|         |------|
```

Times are sums of many intervals; `pacl.spans` tolerates their rounding.

Studies differ in two conventions, and their figures with them: whether atrial flutter is AF, and
whether a beat without a rhythm mark is not AF. The detector does not depend on either.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from pacl.axes import Array, Float64
from pacl.cohort import AllBeatsProtocol, is_flutter
from pacl.detect.detection import Detection
from pacl.records import Record, Rhythm, Span
from pacl.spans import Spans, intersect, joined

Flutter: TypeAlias = Literal["left-out", "as-af", "as-not-af"]
Unmarked: TypeAlias = Literal["left-out", "as-not-af"]

_FLUTTER = {"as-af": Rhythm.AF, "as-not-af": Rhythm.SR}


def annotated_as(
    record: Record, flutter: Flutter = "left-out", unmarked: Unmarked = "left-out"
) -> Record:
    """A recording with its annotations changed to a convention.

    Parameters
    ----------
    flutter
        `left-out`: atrial flutter counts as neither. `as-af`: as AF. `as-not-af`: as not AF.
        Flutter that was read as AF (`ReadOptions.flutter_is_af`) stays AF.
    unmarked
        `left-out`: beats without a rhythm mark count as neither. `as-not-af`: as not AF, for
        databases that mark only AF, such as CPSC2021, or of healthy people, such as NSRDB.
    """

    def rhythm(span: Span) -> Rhythm:
        if span.rhythm is Rhythm.OTHER and is_flutter(span):
            return _FLUTTER.get(flutter, span.rhythm)
        if span.rhythm is Rhythm.UNKNOWN and unmarked == "as-not-af":
            return Rhythm.SR
        return span.rhythm

    return replace(record, spans=tuple(replace(span, rhythm=rhythm(span)) for span in record.spans))


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
        Time that is annotated as AF or as not AF, and judged by the detector. Only this time is
        scored.
    beats_s
        The middle of each beat's interval, in order. Without it nothing is counted in beats.
    """

    true: Spans
    detected: Spans
    counted: Spans
    beats_s: Float64[Array, "beat"] = field(default_factory=lambda: np.empty(0))


def in_beats(spans: Spans, beats_s: Float64[Array, "beat"]) -> Spans:
    """Spans of time as spans of beats: the first beat in them, and the first after them.

    A beat is in a span if the middle of its interval is, so that rounding does not matter.
    """
    return np.searchsorted(beats_s, spans).astype(np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class Annotated:
    """Time annotated as AF, and time annotated as AF or as not AF."""

    af: Spans
    known: Spans


def annotated_spans(record: Record) -> Annotated:
    """The annotated AF of a recording.

    Rhythms other than SR and AF are not AF. Atrial flutter, calibration signals and beats without
    annotation count as neither; `annotated_as` can change this. Missing signal (an interval above
    10 s, time between files) counts as neither, and ends an episode. A beat's rhythm lasts until
    the next beat.
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
    return np.sort(middles, kind="stable")  # fast where they are in order already


def compared_spans(record: Record, detection: Detection) -> Compared:
    """The spans in which a detection is compared with the annotations of its recording.

    Time that is annotated as neither (`annotated_spans`), or not judged by the detector, is not
    counted; but an annotated episode around it stays one episode.
    """
    annotated = annotated_spans(record)
    return Compared(
        true=annotated.af,
        detected=joined((one.start_s, one.end_s) for one in detection.episodes),
        counted=intersect(annotated.known, judged_spans(detection)),
        beats_s=middles_s(record),
    )

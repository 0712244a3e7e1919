"""Spans of time, and those that a detector's answer is compared with the truth on.

```
annotated   | not AF |   AF    | flutter |  AF  | nothing | not AF |  gap  | not AF |
judged         |------------------------------------------------|           |------|
counted        |---------------|         |------|         |-----|           |------|
true AF              |---------|         |------|
```

A span holds its start and not its end. What lies closer together than `TOUCHING_S` touches, and
what is shorter is nothing: times are sums of many intervals, and rounding must not part them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from pacl.axes import Array, Bool, Float, Float64
from pacl.cohort.all_beats import AllBeatsProtocol
from pacl.detect.detection import Detection
from pacl.records import Record, Rhythm

Spans: TypeAlias = Float64[Array, "_ 2"]
"""Starts and ends in seconds, in order, none reaching into the next."""

TOUCHING_S = 1e-6


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


def joined(spans: Iterable[tuple[float, float]] | Float[Array, "_ 2"]) -> Spans:
    """Spans in any order; those that overlap or touch become one, empty ones vanish."""
    given = spans if isinstance(spans, np.ndarray) else list(spans)
    raw = np.asarray(given, dtype=np.float64).reshape(-1, 2)
    raw = raw[raw[:, 1] - raw[:, 0] > TOUCHING_S]
    raw = raw[np.argsort(raw[:, 0], kind="stable")]
    reached = np.maximum.accumulate(raw[:, 1])  # the latest end so far
    first = np.ones(len(raw), dtype=np.bool_)
    first[1:] = raw[1:, 0] - reached[:-1] > TOUCHING_S
    return np.stack([raw[first, 0], reached[np.roll(first, -1)]], axis=1)


def intersect(one: Spans, other: Spans) -> Spans:
    """Time that is in both; where one of them is cut, so is what they share."""
    return np.array(list(_shared(one.tolist(), other.tolist())), dtype=np.float64).reshape(-1, 2)


def _shared(one: list[list[float]], other: list[list[float]]) -> Iterator[tuple[float, float]]:
    at = beside = 0
    while at < len(one) and beside < len(other):
        start, end = max(one[at][0], other[beside][0]), min(one[at][1], other[beside][1])
        if end - start > TOUCHING_S:
            yield start, end
        if one[at][1] <= other[beside][1]:
            at += 1
        else:
            beside += 1


def overlaps(spans: Spans, others: Spans) -> Bool[Array, "_"]:
    """Which spans share time with any of the others; to touch is not to share."""
    begun = np.searchsorted(others[:, 0], spans[:, 1] - TOUCHING_S, side="left")
    over = np.searchsorted(others[:, 1], spans[:, 0] + TOUCHING_S, side="right")
    found: Bool[Array, "_"] = over < begun
    return found


def total_s(spans: Spans) -> float:
    """Seconds in all spans together."""
    return float((spans[:, 1] - spans[:, 0]).sum())


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

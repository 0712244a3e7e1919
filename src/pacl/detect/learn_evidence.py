"""Evidence of one person in marked stretches of a recording, for one mode of a detector."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from pacl.adaptation import SURELY_REFERENCE, Correction
from pacl.axes import Array, Bool, Float64
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.episodes import ROUNDING_S
from pacl.detect.judge import Mode
from pacl.detect.not_judged import DetectError
from pacl.detect.person import LearnedRecording, Person, PersonEvidence
from pacl.detect.person_check import beats_digest, step_ms
from pacl.detect.quality import GROUP, without_masked
from pacl.detect.sinus_rhythm import Groups
from pacl.records import Record

Spans = Sequence[tuple[float | int, float | int]]
"""Stretches of a recording, each its start and end in seconds."""

REACH = 1200
"""Beats before and after a stretch that its log odds may depend on, a multiple of ten."""

LEAST_MARKED_MIN = 0.2
"""Least minutes of a marked stretch that can be judged."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is known of a recording, in seconds from its start."""

    sinus: Spans = ()
    af: Spans = ()
    not_af: Spans = ()
    wearing: bool = False
    """Whether all the rest is unlabelled evidence."""

    @property
    def spans(self) -> list[tuple[str, tuple[float, float]]]:
        """Each stretch with its name."""
        return [
            (name, (float(low), float(high)))
            for name, some in (("sinus", self.sinus), ("af", self.af), ("not-af", self.not_af))
            for low, high in some
        ]


def learn(groups: Groups, record: Record, marks: Marks, before: PersonEvidence) -> PersonEvidence:
    """The evidence of one mode, with that of a recording's groups."""
    begins_s, ends_s = group_times(record, groups)
    marked = np.zeros(groups.first.size, np.bool_)
    found = before
    for name, (low, high) in marks.spans:
        own = wholly_within(begins_s, ends_s, (low, high))
        minutes = float(groups.minutes[own].sum())
        if minutes < LEAST_MARKED_MIN:
            raise DetectError(
                f"{record.source}: from {clock(low)} to {clock(high)} after the start (--{name}) "
                f"only {60 * minutes:.0f} s can be judged, in whole groups of ten beats; "
                f"{60 * LEAST_MARKED_MIN:g} s are needed: mark some seconds more on both sides, "
                "with few implausible beats"
            )
        marked |= (ends_s > low) & (begins_s < high)
        some = groups.those(own)
        if name == "sinus":
            found = replace(
                found,
                sinus=found.sinus.plus(some.log_odds, some.minutes),
                baseline=found.baseline.plus(some),
            )
        else:
            mean = float(np.average(some.log_odds, weights=some.minutes))
            found = replace(found, corrections=(*found.corrections, Correction(name == "af", mean)))
    if marks.wearing:
        rest = groups.those(~marked)
        found = replace(
            found,
            wearing=found.wearing.plus(rest.log_odds, rest.minutes),
            baseline=found.baseline.plus(rest.those(rest.log_odds < SURELY_REFERENCE)),
        )
    return found


def groups_of(judge: BeatJudge, record: Record, mode: Mode, marks: Marks | None = None) -> Groups:
    """Groups of ten beats of a recording; with `marks`, only those near marked stretches."""
    begins_s = record.onset_s()
    rr_ms, masked = record.rr_ms.astype(np.float32), record.cannot_be_judged()
    parts = []
    for start, stop in record.stretches():
        low, high = start, stop
        if marks is not None:
            near = np.flatnonzero(_within(begins_s[start:stop], marks))
            if not near.size:
                continue
            low = start + max(0, int(near[0]) // GROUP * GROUP - REACH)
            high = min(stop, start + int(near[-1]) + REACH)
        seen = judge.look_at(rr_ms[low:high], mode)
        seen = replace(seen, faults=without_masked(seen.faults, masked[low:high]))
        parts.append(judge.groups(seen, low))
    return Groups.joined(parts)


def _within(begins_s: Float64[Array, "beat"], marks: Marks) -> Bool[Array, "beat"]:
    found = np.zeros(begins_s.size, np.bool_)
    for _, (low, high) in marks.spans:
        found |= (begins_s >= low) & (begins_s <= high)
    return found


def group_times(
    record: Record, groups: Groups
) -> tuple[Float64[Array, "group"], Float64[Array, "group"]]:
    """When groups begin and end."""
    first = groups.first.astype(np.int64)
    begins_s = record.begins_s(first)
    after = first + groups.beats.astype(np.int64)
    return begins_s, begins_s + record.elapsed_s(after) - record.elapsed_s(first)


def wholly_within(
    begins_s: Float64[Array, "group"], ends_s: Float64[Array, "group"], span: tuple[float, float]
) -> Bool[Array, "group"]:
    """Which groups lie in a stretch with all their beats."""
    found: Bool[Array, "group"] = (begins_s >= span[0] - ROUNDING_S) & (
        ends_s <= span[1] + ROUNDING_S
    )
    return found


def continued(
    before: Person,
    record: Record,
    learned: Mapping[Mode, PersonEvidence],
    spans: Iterable[tuple[float, float]],
) -> Person:
    """A profile with what was learned of a recording; minutes are those of the first mode."""
    digest = beats_digest(record.rr_ms)
    known = known_recording(before, record)
    if known is None:
        started = None if record.started is None else record.started.isoformat()
        added = datetime.now(UTC).isoformat(timespec="seconds")
        known = LearnedRecording(digest, started, added, step_ms(record))
    mode, used = next(iter(learned.items()))
    was = before.of(mode)
    recording = replace(
        known,
        sinus_min=known.sinus_min + used.sinus.amount - was.sinus.amount,
        wearing_min=known.wearing_min + used.wearing.amount - was.wearing.amount,
        corrections=known.corrections + len(used.corrections) - len(was.corrections),
        marks=(*known.marks, *spans),
    )
    others = tuple(one for one in before.recordings if one.digest != digest)
    return replace(before, recordings=(*others, recording), evidence={**before.evidence, **learned})


def known_recording(person: Person, record: Record) -> LearnedRecording | None:
    """What a profile holds of a recording already."""
    digest = beats_digest(record.rr_ms)
    return next((one for one in person.recordings if one.digest == digest), None)


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    if not math.isfinite(seconds):
        return str(seconds)
    whole = round(seconds)
    sign, whole = ("-", -whole) if whole < 0 else ("", whole)
    return f"{sign}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"

"""Learning one person from a recording: known sinus rhythm, unlabelled wearing, corrections.

```
recording      |----------------------------------------------|
--sinus            |=======|                                     known sinus rhythm
--af, --not-af                   |==|        |=|                 corrections
wearing        |---|       |-----|  |--------| |--------------|  all the rest, unlabelled
```
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from pacl.adaptation import SURELY_REFERENCE, Correction
from pacl.axes import Array, Bool, Float64
from pacl.detect.artifact import Artifact
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import BUNDLED, find_artifact
from pacl.detect.detector import Detector, as_record
from pacl.detect.episodes import ROUNDING_S
from pacl.detect.judge import Mode
from pacl.detect.not_judged import DetectError
from pacl.detect.person import MOST_CORRECTIONS, LearnedRecording, Person, PersonEvidence
from pacl.detect.person_check import beats_digest, step_ms
from pacl.detect.quality import GROUP, without_masked
from pacl.detect.sinus_rhythm import Groups
from pacl.records import Record
from pacl.records.text import Unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Spans = Sequence[tuple[float | int, float | int]]
"""Stretches of a recording, each its start and end in seconds."""

REACH = 1200
"""Beats before and after a stretch that its log odds may depend on, a multiple of ten."""

LEAST_MARKED_MIN = 0.2
"""Least minutes of a marked stretch that can be judged."""

OUTSIDE_S = 60.0
"""A stretch may begin or end this much outside the recording."""


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


def adapt(
    record: "Record | ArrayLike",
    *,
    sinus: Spans = (),
    af: Spans = (),
    not_af: Spans = (),
    wearing: bool | None = None,
    person: Person | str | Path | None = None,
    weights: str | Path = BUNDLED[0],
    unit: Unit = "auto",
) -> Person:
    """Learn one person from a recording.

    Parameters
    ----------
    record
        A recording, or its RR intervals as a list or an array.
    sinus
        Stretches known to be sinus rhythm, each its start and end in seconds.
    af, not_af
        Corrections: stretches that the detector called wrong.
    wearing
        Use all the rest as unlabelled evidence; by default only if nothing is marked.
    person
        What was learned before, or its file; the recording is added to it. No beat counts twice:
        the same intervals are recognised.
    weights, unit
        As for `Detector`.

    Examples
    --------
    >>> from pacl.records import open_records
    >>> record = open_records("recording.csv").read("recording")
    >>> me = adapt(record, sinus=[(0, 300)])
    >>> round(me.of("look-ahead").sinus.amount)
    5
    """
    record = as_record(record, unit, allow_smoothed=False)
    artifact = _artifact(weights)
    given = Marks(sinus, af, not_af)
    marks = replace(given, wearing=not given.spans if wearing is None else wearing)
    _check_marks(record, marks)
    before = new_person(weights) if person is None else person
    before = before if isinstance(before, Person) else Person.read(before)
    before.check_weights(artifact.name, artifact.networks_digest)
    digest = beats_digest(record.rr_ms)
    known = next((one for one in before.recordings if one.digest == digest), None)
    if known is not None:
        _check_known(record, marks, known)
    judge = BeatJudge(artifact)
    modes: tuple[Mode, ...] = get_args(Mode)
    learned = {mode: _learn(judge, record, mode, marks, before.of(mode)) for mode in modes}
    used, was = learned["look-ahead"], before.of("look-ahead")
    if len(used.corrections) > MOST_CORRECTIONS:
        raise DetectError(
            f"{record.source}: more than {MOST_CORRECTIONS:,} corrections; start a new profile"
        )
    if used == was:
        detection = Detector(weights).detect(record)
        raise DetectError(
            f"{record.source}: nothing can be learned from it: "
            f"{detection.reason or 'no beat could be judged'}"
        )
    if known is None:
        started = None if record.started is None else record.started.isoformat()
        added = datetime.now(UTC).isoformat(timespec="seconds")
        known = LearnedRecording(digest, started, added, step_ms(record))
    recording = replace(
        known,
        sinus_min=known.sinus_min + used.sinus.amount - was.sinus.amount,
        wearing_min=known.wearing_min + used.wearing.amount - was.wearing.amount,
        corrections=known.corrections + len(used.corrections) - len(was.corrections),
        marks=(*known.marks, *(span for _, span in marks.spans)),
    )
    others = tuple(one for one in before.recordings if one.digest != digest)
    return replace(before, recordings=(*others, recording), evidence={**before.evidence, **learned})


def _check_known(record: Record, marks: Marks, known: LearnedRecording) -> None:
    """Refuse what the profile holds already."""
    if marks.wearing and known.wearing_min:
        raise DetectError(
            f"{record.source}: these beats are in the profile already, as unlabelled wearing; "
            "mark stretches of it, or leave it out"
        )
    if marks.wearing:
        raise DetectError(
            f"{record.source}: stretches of this recording are in the profile already, so the "
            "rest cannot be added; start a new profile, and give both at once"
        )
    for name, (low, high) in marks.spans:
        if any(low < end and begin < high for begin, end in known.marks):
            raise DetectError(
                f"{record.source}: --{name} from {_clock(low)} to {_clock(high)} is in the "
                "profile already, or a part of it; mark each moment once"
            )


def new_person(weights: str | Path = BUNDLED[0]) -> Person:
    """A person of whom nothing is known yet: results are those without a profile."""
    artifact = _artifact(weights)
    return Person(artifact.name, artifact.networks_digest)


def _artifact(weights: str | Path) -> Artifact:
    """The detector; refused if it cannot learn a person."""
    artifact = find_artifact(weights)
    if artifact is None:
        raise DetectError(f"{weights}: these weights cannot learn a person; use {BUNDLED[0]}")
    for mode in get_args(Mode):
        artifact.prior(mode)
    return artifact


def _learn(
    judge: BeatJudge, record: Record, mode: Mode, marks: Marks, before: PersonEvidence
) -> PersonEvidence:
    """The evidence of one mode, with that of a recording."""
    groups = groups_of(judge, record, mode, None if marks.wearing else marks)
    begins_s, ends_s = _times(record, groups)
    marked = np.zeros(groups.first.size, np.bool_)
    found = before
    for name, (low, high) in marks.spans:
        own = (begins_s >= low - ROUNDING_S) & (ends_s <= high + ROUNDING_S)
        if groups.minutes[own].sum() < LEAST_MARKED_MIN:
            raise DetectError(
                f"{record.source}: nothing can be judged from {_clock(low)} to {_clock(high)} "
                f"(--{name}); mark at least {60 * LEAST_MARKED_MIN:g} s with few implausible "
                "beats"
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


def _times(
    record: Record, groups: Groups
) -> tuple[Float64[Array, "group"], Float64[Array, "group"]]:
    first = groups.first.astype(np.int64)
    begins_s = record.begins_s(first)
    after = first + groups.beats.astype(np.int64)
    return begins_s, begins_s + record.elapsed_s(after) - record.elapsed_s(first)


def _check_marks(record: Record, marks: Marks) -> None:
    """Refuse stretches that are empty, outside the recording, or marked in two ways."""
    edges = record.begins_s(np.array([0, len(record)]))
    first_s, last_s = float(edges[0]), float(edges[1])
    for name, (low, high) in marks.spans:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise DetectError(
                f"{record.source}: --{name} from {_clock(low)} to {_clock(high)} is empty; give "
                "the start, then the end"
            )
        if low < first_s - OUTSIDE_S or high > last_s + OUTSIDE_S:
            raise DetectError(
                f"{record.source}: --{name} from {_clock(low)} to {_clock(high)} is not in the "
                f"recording, which lasts from {_clock(first_s)} to {_clock(last_s)} (time since "
                "its start)"
            )
    spans = sorted(marks.spans, key=lambda one: one[1])
    for (name, one), (other_name, other) in pairwise(spans):
        if other[0] < one[1]:
            raise DetectError(
                f"{record.source}: --{name} and --{other_name} overlap from {_clock(other[0])} to "
                f"{_clock(min(one[1], other[1]))}; mark each moment once"
            )


def _clock(seconds: float) -> str:
    if not math.isfinite(seconds):
        return str(seconds)
    whole = round(seconds)
    sign, whole = ("-", -whole) if whole < 0 else ("", whole)
    return f"{sign}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"

"""Learning one person from a recording: known sinus rhythm, unlabelled wearing, corrections.

```
recording      |----------------------------------------------|
--sinus            |=======|                                     known sinus rhythm
--af, --not-af                   |==|        |=|                 corrections
wearing        |---|       |-----|  |--------| |--------------|  all the rest, unlabelled
```
"""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from pacl.detect.artifact import Artifact
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import BUNDLED, find_artifact
from pacl.detect.detector import Detector, as_record
from pacl.detect.judge import Mode
from pacl.detect.learn_evidence import (
    Marks,
    Spans,
    clock,
    continued,
    groups_of,
    known_recording,
    learn,
)
from pacl.detect.not_judged import DetectError
from pacl.detect.person import MOST_CORRECTIONS, LearnedRecording, Person
from pacl.records import Record
from pacl.records.text import Unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

OUTSIDE_S = 60.0
"""A stretch may begin or end this much outside the recording."""


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
    if (known := known_recording(before, record)) is not None:
        _check_known(record, marks, known)
    judge = BeatJudge(artifact)
    modes: tuple[Mode, ...] = get_args(Mode)
    near = None if marks.wearing else marks
    learned = {
        mode: learn(groups_of(judge, record, mode, near), record, marks, before.of(mode))
        for mode in modes
    }
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
    return continued(before, record, learned, [span for _, span in marks.spans])


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
                f"{record.source}: --{name} from {clock(low)} to {clock(high)} is in the "
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


def _check_marks(record: Record, marks: Marks) -> None:
    """Refuse stretches that are empty, outside the recording, or marked in two ways."""
    edges = record.begins_s(np.array([0, len(record)]))
    first_s, last_s = float(edges[0]), float(edges[1])
    for name, (low, high) in marks.spans:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise DetectError(
                f"{record.source}: --{name} from {clock(low)} to {clock(high)} is empty; give "
                "the start, then the end"
            )
        if low < first_s - OUTSIDE_S or high > last_s + OUTSIDE_S:
            raise DetectError(
                f"{record.source}: --{name} from {clock(low)} to {clock(high)} is not in the "
                f"recording, which lasts from {clock(first_s)} to {clock(last_s)} (time since "
                "its start)"
            )
    spans = sorted(marks.spans, key=lambda one: one[1])
    for (name, one), (other_name, other) in pairwise(spans):
        if other[0] < one[1]:
            raise DetectError(
                f"{record.source}: --{name} and --{other_name} overlap from {clock(other[0])} to "
                f"{clock(min(one[1], other[1]))}; mark each moment once"
            )

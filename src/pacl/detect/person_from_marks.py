"""A profile continued with the marks by hand of one recording."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from pacl.detect.beat_judge import BeatJudge
from pacl.detect.judge import Mode
from pacl.detect.learn_evidence import (
    LEAST_MARKED_MIN,
    Marks,
    clock,
    continued,
    group_times,
    groups_of,
    known_recording,
    learn,
    wholly_within,
)
from pacl.detect.looked import Looked
from pacl.detect.mark import Mark, painted
from pacl.detect.person import MOST_CORRECTIONS, Person
from pacl.detect.sinus_rhythm import Groups
from pacl.records import Record

NAMED = 3
"""Marks that a notice names; the others are counted."""


@dataclass(frozen=True, slots=True)
class MarkedPerson:
    """A profile, the marks it learned from, and why it did not learn from others."""

    person: Person | None
    used: tuple[Mark, ...] = ()
    notices: tuple[str, ...] = ()


def marked_person(
    looked: Looked,
    marks: Iterable[Mark],
    person: Person | None = None,
    *,
    modes: Sequence[Mode] = get_args(Mode),
) -> MarkedPerson:
    """Learn one person from the marks by hand of a recording.

    Sinus rhythm is evidence, AF and not AF are corrections, as for `adapt`. Marks that are too
    short, or in the profile already, are left out, and a notice says so.

    Parameters
    ----------
    looked
        The recording, see `Detector.look`.
    marks
        What was marked, in the order of marking.
    person
        The profile that is continued; a new one by default. It is returned as it is where nothing
        can be learned.
    modes
        Modes to learn for; the networks look again for the one that `looked` does not have.
    """
    wanted = [one for one in painted(marks) if one.kind != "exclude"]
    judge, record = looked.judge, looked.record
    if not wanted:
        return MarkedPerson(person)
    if not isinstance(judge, BeatJudge) or any(one not in judge.artifact.priors for one in modes):
        return MarkedPerson(person, (), (f"{judge.name}: these weights cannot learn a person.",))
    before = person or Person(judge.name, judge.artifact.networks_digest)
    before.check_weights(judge.name, judge.artifact.networks_digest)
    groups = {
        mode: looked.trusted_groups
        if mode == looked.mode
        else groups_of(judge, record, mode, _as_spans(wanted))
        for mode in modes
    }
    used, notices = _usable(record, wanted, before, groups)
    if not used:
        return MarkedPerson(person, (), notices)
    spans = _as_spans(used)
    learned = {mode: learn(groups[mode], record, spans, before.of(mode)) for mode in modes}
    found = continued(before, record, learned, [span for _, span in spans.spans])
    return MarkedPerson(found, tuple(used), notices)


def _usable(
    record: Record, marks: Sequence[Mark], before: Person, groups: Mapping[Mode, Groups]
) -> tuple[list[Mark], tuple[str, ...]]:
    """Marks that can be learned from, and notices on the others."""
    known = known_recording(before, record)
    there = () if known is None else known.marks
    times = {mode: group_times(record, some) for mode, some in groups.items()}
    free = MOST_CORRECTIONS - max(len(before.of(mode).corrections) for mode in groups)
    used: list[Mark] = []
    aside: dict[str, list[Mark]] = defaultdict(list)
    for one in marks:
        span = (one.start_s, one.end_s)
        minutes = min(
            float(some.minutes[wholly_within(*times[mode], span)].sum())
            for mode, some in groups.items()
        )
        if any(one.start_s < end and begin < one.end_s for begin, end in there):
            aside["in the profile already, or a part of it"].append(one)
        elif minutes < LEAST_MARKED_MIN:
            least = f"less than {60 * LEAST_MARKED_MIN:g} s of it can be judged"
            aside[f"too short to learn from: {least}"].append(one)
        elif one.kind != "sinus" and free <= 0:
            aside[f"more than {MOST_CORRECTIONS:,} corrections"].append(one)
        else:
            used.append(one)
            free -= one.kind != "sinus"
    return used, tuple(f"Not learned from {_named(some)}: {why}." for why, some in aside.items())


def _as_spans(marks: Iterable[Mark]) -> Marks:
    spans = defaultdict(list)
    for one in marks:
        spans[one.kind].append((one.start_s, one.end_s))
    return Marks(sinus=spans["sinus"], af=spans["af"], not_af=spans["not-af"])


def _named(marks: Sequence[Mark]) -> str:
    text = ", ".join(
        f"{clock(one.start_s)} to {clock(one.end_s)} ({one.kind})" for one in marks[:NAMED]
    )
    more = len(marks) - NAMED
    return f"{text} and {more:,} more" if more > 0 else text

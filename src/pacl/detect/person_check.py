"""Whether a profile fits the recording it is used for: the same person, device and time of life."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from pacl.adaptation import SURELY_REFERENCE
from pacl.detect.judge import Mode
from pacl.detect.person import Person, PersonEvidence, PersonPrior
from pacl.detect.sinus_rhythm import Groups, SinusRhythm
from pacl.records import Record

Kind = Literal[
    "nothing learned",
    "learned in AF",
    "mostly AF",
    "unlike",
    "not compared",
    "another device",
    "out of date",
    "same recording",
]

UNLIKE, MOST_UNLIKE = 2.0, 3.0
"""From the first on, a sinus rhythm is said to be unlike that of the profile; from the second on,
the profile is set aside. 1 is usual for one person at two times. How often one person is beyond
them, and another person, is measured by `benchmarks/adaptation_safety.py`."""

LEAST_MIN = 4.0
"""Minutes of sinus rhythm that are needed for a comparison, in the recording and in the profile."""

LOOKS_LIKE_AF = -3.0
"""If known sinus rhythm lies above this, it may have been AF: people's sinus rhythm lies below."""

OUT_OF_DATE_DAYS = 365
OTHER_STEP = 1.5
"""Steps of intervals that differ by this factor are of different devices."""


@dataclass(frozen=True, slots=True)
class PersonNotice:
    """Something to know about a profile and a recording.

    With `sets_aside`, the result without the profile stands.
    """

    kind: Kind
    text: str
    sets_aside: bool = False


@dataclass(frozen=True, slots=True)
class PersonCheck:
    """How a profile fits a recording.

    `today` is the sinus rhythm of the recording, `unlike` how much it differs from the profile;
    None where there is too little to compare.
    """

    notices: tuple[PersonNotice, ...]
    today: SinusRhythm
    unlike: float | None

    @property
    def fits(self) -> bool:
        """Whether the profile may be used."""
        return not any(one.sets_aside for one in self.notices)


def check_person(
    person: Person, mode: Mode, prior: PersonPrior, record: Record, groups: Groups
) -> PersonCheck:
    """Compare a profile with a recording, given its groups of ten beats."""
    evidence = person.of(mode)
    today = SinusRhythm().plus(groups.those(groups.log_odds < SURELY_REFERENCE))
    before, unlike = evidence.baseline, None
    found: list[PersonNotice] = []
    if evidence.is_empty:
        found.append(
            PersonNotice("nothing learned", "The profile holds nothing that can be used.", True)
        )
    if looks_like_af(evidence):
        found.append(
            PersonNotice(
                "learned in AF",
                "What was marked as sinus rhythm in this profile looks like AF to the detector. If "
                "it was AF, the profile would hide AF.",
                True,
            )
        )
    if evidence.wearing.amount and not evidence.wearing.usable:
        found.append(
            PersonNotice(
                "mostly AF",
                f"Only {100 * evidence.wearing.share:.0f} % of the unlabelled time in the profile "
                "looks like sinus rhythm. It may be permanent AF, so nothing was learned from it.",
            )
        )
    if min(today.minutes, before.minutes) < LEAST_MIN:
        found.append(
            PersonNotice(
                "not compared",
                f"Whether this is the person of the profile was not checked: that needs "
                f"{LEAST_MIN:g} minutes of sinus rhythm in both; there are {today.minutes:.0f} "
                f"here and {before.minutes:.0f} in the profile.",
            )
        )
    else:
        unlike = prior.day_to_day.unlike(today, before)
        if unlike > UNLIKE:
            found.append(
                PersonNotice(
                    "unlike",
                    f"The sinus rhythm of this recording ({_words(today)}) is unlike that of the "
                    f"profile ({_words(before)}). It may be another person, another device, or "
                    "another treatment.",
                    unlike > MOST_UNLIKE,
                )
            )
    return PersonCheck((*found, *_of_recording(person, record)), today, unlike)


def looks_like_af(evidence: PersonEvidence) -> bool:
    """Whether what was marked as sinus rhythm looks like AF to the population's detector."""
    return evidence.sinus.amount > 0 and evidence.sinus.mean > LOOKS_LIKE_AF


def _of_recording(person: Person, record: Record) -> list[PersonNotice]:
    """What dates, digests and devices tell."""
    if not person.recordings:
        return []
    found = []
    if any(one.digest == record.digest for one in person.recordings):
        found.append(
            PersonNotice(
                "same recording",
                "The profile was learned from this recording: the result is not independent of it.",
            )
        )
    here = step_ms(record)
    if here and not any(_alike(one.step_ms, here) for one in person.recordings):
        steps = ", ".join(sorted({f"{one.step_ms:g}" for one in person.recordings}))
        found.append(
            PersonNotice(
                "another device",
                f"Intervals come in steps of {here:g} ms, in the profile in steps of {steps} ms: "
                "probably another device.",
            )
        )
    newest = max(_zoned(one.when) for one in person.recordings)
    now = datetime.now(UTC) if record.started is None else _zoned(record.started)
    days = abs((now - newest).days)
    if days > OUT_OF_DATE_DAYS:
        found.append(
            PersonNotice(
                "out of date",
                f"The newest recording in the profile is {days:,} days away from this one; learn "
                "it again with pacl adapt.",
            )
        )
    return found


def step_ms(record: Record) -> float:
    """The usual step between the lengths of intervals, which depends on the device.

    Examples
    --------
    >>> from pacl.records import record_from_rr
    >>> step_ms(record_from_rr([800.0, 812.5, 825.0, 787.5, 800.0] * 20, "ms"))
    12.5
    """
    lengths = np.unique(np.round(record.rr_ms[record.rr_ms <= 2000].astype(np.float64), 2))
    steps = np.diff(lengths)
    return round(float(np.median(steps)), 3) if steps.size else 0.0


def _alike(one: float, other: float) -> bool:
    return max(one, other) <= OTHER_STEP * max(min(one, other), 0.1)


def _zoned(when: datetime) -> datetime:
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


def _words(rhythm: SinusRhythm) -> str:
    return (
        f"{rhythm.rate:.0f} beats a minute, {100 * rhythm.variation:.1f} % from beat to beat, log "
        f"odds {rhythm.log_odds:.1f}"
    )

"""Whether a profile fits the recording it is used for: the same person, device and time of life."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from pacl.adaptation import SURELY_REFERENCE, Correction
from pacl.axes import Array, Real
from pacl.detect.judge import Mode
from pacl.detect.person import Person, PersonEvidence, PersonPrior
from pacl.detect.sinus_rhythm import Groups, SinusRhythm
from pacl.records import Record

Kind = Literal[
    "nothing learned",
    "too little",
    "learned in AF",
    "corrections in doubt",
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

LEAST_COMPARED_MIN = 4.0
"""Minutes of sinus rhythm that are needed for a comparison, in the recording and in the profile."""

LOOKS_LIKE_AF = -3.0
"""If known sinus rhythm lies above this, it may have been AF: people's sinus rhythm lies below."""

LEAST_SINUS_MIN: dict[Mode, float] = {"look-ahead": 4.0, "causal": 12.0}
LEAST_WEARING_MIN = 12.0
"""Minutes of known sinus rhythm, or of sinus rhythm in unlabelled wearing, from which on a profile
is used: with less, no gain was certain on databases left out (docs/results/adaptation)."""

SURE_LOG_ODDS = 4.0
"""A correction of log odds beyond this contradicts what the detector is sure of."""

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
    found, unlike = compare(evidence, today, prior)
    notices = (*of_profile(person, mode), *found, *_of_recording(person, record))
    return PersonCheck(notices, today, unlike)


def of_profile(person: Person, mode: Mode) -> list[PersonNotice]:
    """What is known without a recording."""
    evidence = person.of(mode)
    found: list[PersonNotice] = []
    if evidence.is_empty:
        text = "The profile holds nothing that can be used."
        if any(not one.is_empty for one in person.evidence.values()):
            text = "The profile was learned in a stream: it can be used with --mode causal only."
        found.append(PersonNotice("nothing learned", text, True))
    elif not is_enough(evidence, mode):
        text = (
            f"The profile holds too little: {LEAST_SINUS_MIN[mode]:g} minutes of known sinus "
            f"rhythm, or {LEAST_WEARING_MIN:g} in unlabelled wearing, are needed for this mode."
        )
        found.append(PersonNotice("too little", text, True))
    if looks_like_af(evidence):
        found.append(
            PersonNotice(
                "learned in AF",
                "What was marked as sinus rhythm in this profile looks like AF to the detector. If "
                "it was AF, the profile would hide AF: check the marked times, and start over.",
                True,
            )
        )
    doubtful = [one for one in evidence.corrections if _contradicts(one)]
    if doubtful:
        found.append(
            PersonNotice(
                "corrections in doubt",
                f"{len(doubtful)} of {len(evidence.corrections)} corrections contradict what the "
                "detector is sure of. If they are mistaken, AF may be missed, or sinus rhythm "
                "called AF; compare both results.",
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
    return found


def is_enough(evidence: PersonEvidence, mode: Mode) -> bool:
    """Whether there is as much evidence as brings a certain gain; corrections always count."""
    worn = evidence.wearing.sure.amount if evidence.wearing.usable else 0.0
    share = evidence.sinus.amount / LEAST_SINUS_MIN[mode] + worn / LEAST_WEARING_MIN
    return share >= 1 or bool(evidence.corrections)


def compare(
    evidence: PersonEvidence, today: SinusRhythm, prior: PersonPrior
) -> tuple[list[PersonNotice], float | None]:
    """Whether the sinus rhythm of today is like that of the profile, and how unlike it is."""
    if not evidence.sinus.amount and not evidence.wearing.usable:
        return [], None
    before = evidence.baseline
    if min(today.minutes, before.minutes) < LEAST_COMPARED_MIN:
        text = (
            "Whether this is the person of the profile was not checked: that needs "
            f"{LEAST_COMPARED_MIN:g} minutes of sinus rhythm in both; there are "
            f"{today.minutes:.0f} here and {before.minutes:.0f} in the profile."
        )
        return [PersonNotice("not compared", text)], None
    unlike = prior.day_to_day.unlike(today, before)
    if unlike <= UNLIKE:
        return [], unlike
    text = (
        f"The sinus rhythm of this recording ({_words(today)}) is unlike that of the profile "
        f"({_words(before)}). It may be another person, another device, or another treatment."
    )
    return [PersonNotice("unlike", text, unlike > MOST_UNLIKE)], unlike


def _contradicts(one: Correction) -> bool:
    return one.log_odds < -SURE_LOG_ODDS if one.target else one.log_odds > SURE_LOG_ODDS


def looks_like_af(evidence: PersonEvidence) -> bool:
    """Whether what was marked as sinus rhythm looks like AF to the population's detector."""
    return evidence.sinus.amount > 0 and evidence.sinus.mean > LOOKS_LIKE_AF


def _of_recording(person: Person, record: Record) -> list[PersonNotice]:
    """What dates, digests and devices tell."""
    if not person.recordings:
        return []
    found = []
    if any(one.digest == beats_digest(record.rr_ms) for one in person.recordings):
        found.append(
            PersonNotice(
                "same recording",
                "The profile was learned from this recording: the result is not independent of it.",
            )
        )
    here, known = step_ms(record), [one.step_ms for one in person.recordings if one.step_ms]
    if here and known and not any(_alike(one, here) for one in known):
        steps = ", ".join(sorted({f"{one:g}" for one in known}))
        found.append(
            PersonNotice(
                "another device",
                f"Intervals come in steps of {here:g} ms, in the profile in steps of {steps} ms: "
                "probably another device.",
            )
        )
    newest = max(_zoned(one.when) for one in person.recordings)
    now = datetime.now(UTC) if record.started is None else _zoned(record.started)
    which = "today; this recording has no date" if record.started is None else "this one"
    days = abs((now - newest).days)
    if days > OUT_OF_DATE_DAYS:
        found.append(
            PersonNotice(
                "out of date",
                f"The newest recording in the profile is {days:,} days away from {which}; learn "
                "it again with pacl adapt.",
            )
        )
    return found


def beats_digest(rr_ms: Real[Array, "beat"]) -> str:
    """SHA-256 of intervals in whole ms: the same for the same beats in another file."""
    return hashlib.sha256(np.round(rr_ms).astype("<i4").tobytes()).hexdigest()


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

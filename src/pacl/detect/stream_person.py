"""One person in a stream: their own log odds, checks, and learning while they wear the device."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from pacl.adaptation import SURELY_REFERENCE, Posterior
from pacl.axes import Array, Float32, Float64
from pacl.detect.not_judged import Fault
from pacl.detect.person import LearnedRecording, Person, PersonPrior
from pacl.detect.person_check import PersonNotice, compare, is_enough, of_profile
from pacl.detect.sinus_rhythm import Groups, SinusRhythm

UPDATE_GROUPS = 10
"""After this many groups of ten beats, about a minute, the posterior is computed again."""

TOO_LITTLE = ("nothing learned", "too little")
COMPARED_MIN = 10.0
"""Minutes of sinus rhythm after which a stream is compared with the profile, once."""


class StreamPerson:
    """The person a stream is of. Memory does not grow: only sums are kept.

    A profile that was learned in AF, or whose sinus rhythm is very unlike that of the stream, is
    set aside. With `learn`, beats that could be judged are unlabelled evidence. What was learned
    acts on later beats, also after a gap.
    """

    def __init__(self, person: Person, prior: PersonPrior, *, learn: bool) -> None:
        self._person, self._prior, self._learn = person, prior, learn
        self._waiting: list[Groups] = []
        self._before = self._evidence = person.of("causal")
        self._today = SinusRhythm()
        self._compared = False
        self._began = datetime.now(UTC)
        self._digest = hashlib.sha256()
        self.notices: tuple[PersonNotice, ...] = ()
        self._notice(of_profile(person, "causal"))

    @property
    def own(self) -> Posterior | None:
        """The person's posterior; None where the profile is set aside."""
        return self._own

    @property
    def person(self) -> Person:
        """The profile, with what was learned since the start of the stream."""
        more = self._evidence.wearing.amount - self._before.wearing.amount
        if not more > 0:
            return self._person
        recording = LearnedRecording(
            digest=self._digest.hexdigest(),
            started=self._began.isoformat(timespec="seconds"),
            added=datetime.now(UTC).isoformat(timespec="seconds"),
            step_ms=0.0,
            wearing_min=more,
        )
        return replace(
            self._person,
            recordings=(*self._person.recordings, recording),
            evidence={**self._person.evidence, "causal": self._evidence},
        )

    def heard(self, rr_ms: float) -> None:
        """One more interval, so that the same beats are recognised later."""
        self._digest.update(np.round(rr_ms).astype("<i4").tobytes())

    def add(self, rr_ms: Float32[Array, "beat"], log_odds: Float64[Array, "beat"]) -> None:
        """One group of beats that could be judged, with the population's log odds."""
        self._waiting.append(Groups.of(rr_ms, log_odds, np.array([Fault.NONE], np.uint8)))
        if len(self._waiting) < UPDATE_GROUPS:
            return
        groups = Groups.joined(self._waiting)
        self._waiting.clear()
        sinus = groups.those(groups.log_odds < SURELY_REFERENCE)
        self._today = self._today.plus(sinus)
        if not self._compared and self._today.minutes >= COMPARED_MIN:
            self._compared = True
            self._notice(compare(self._before, self._today, self._prior)[0])
        if self._learn:
            self._evidence = replace(
                self._evidence,
                wearing=self._evidence.wearing.plus(groups.log_odds, groups.minutes),
                baseline=self._evidence.baseline.plus(sinus),
            )
            self._update()

    def _notice(self, more: Sequence[PersonNotice]) -> None:
        self.notices = (*self.notices, *more)
        self._update()

    def _update(self) -> None:
        """Too little evidence is no reason to set aside what is learned later."""
        aside = any(one.sets_aside and one.kind not in TOO_LITTLE for one in self.notices)
        usable = is_enough(self._evidence, "causal") and not aside
        self._own = self._evidence.posterior(self._prior) if usable else None

"""One person in a stream: their own log odds, and learning while they wear the device."""

from dataclasses import replace

import numpy as np

from pacl.adaptation import SURELY_REFERENCE, Posterior
from pacl.axes import Array, Float32, Float64
from pacl.detect.not_judged import Fault
from pacl.detect.person import Person, PersonPrior
from pacl.detect.sinus_rhythm import Groups

UPDATE_GROUPS = 10
"""After this many groups of ten beats, about a minute, the posterior is computed again."""


class StreamPerson:
    """The person a stream is of. Memory does not grow: only sums are kept.

    With `learn`, beats that could be judged are unlabelled evidence. What was learned acts on later
    beats, also after a gap.
    """

    def __init__(self, person: Person, prior: PersonPrior, *, learn: bool) -> None:
        self.person = person
        self._prior, self._learn = prior, learn
        self._waiting: list[Groups] = []
        self._evidence = person.of("causal")
        self.own: Posterior = self._evidence.posterior(prior)

    def add(self, rr_ms: Float32[Array, "beat"], log_odds: Float64[Array, "beat"]) -> None:
        """Learn from one group of beats, given the population's log odds."""
        if not self._learn:
            return
        self._waiting.append(Groups.of(rr_ms, log_odds, np.array([Fault.NONE], np.uint8)))
        if len(self._waiting) < UPDATE_GROUPS:
            return
        groups = Groups.joined(self._waiting)
        self._waiting.clear()
        before = self._evidence
        self._evidence = replace(
            before,
            wearing=before.wearing.plus(groups.log_odds, groups.minutes),
            baseline=before.baseline.plus(groups.those(groups.log_odds < SURELY_REFERENCE)),
        )
        self.own = self._evidence.posterior(self._prior)
        self.person = replace(
            self.person, evidence={**self.person.evidence, "causal": self._evidence}
        )

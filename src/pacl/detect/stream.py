"""AF beat by beat: the causal mode of the detector, while the beats arrive."""

import math
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import BUNDLED, open_judge
from pacl.detect.detection import LONGEST_MS
from pacl.detect.detector import person_of
from pacl.detect.judge import OperatingPoint, StepDecision, probability
from pacl.detect.not_judged import DetectError, Fault, Offered
from pacl.detect.person import Person
from pacl.detect.person_check import PersonNotice
from pacl.detect.stream_person import StreamPerson
from pacl.records import GAP_MS, PLAUSIBLE_MS


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one beat or on several: part of an episode of AF or not.

    It covers `start_s` to `time_s`, in seconds since the first beat.
    """

    start_s: float
    time_s: float
    probability: float
    af: bool


class StreamDetector:
    """Takes intervals one at a time, and decides with a bounded delay.

    Decisions are bit-identical to `Detector.detect(record, "causal")`; with a profile, to its
    result with the profile, unless that is set aside. Memory does not grow. With `af-beats` each
    beat is decided 60 to 70 beats later.

    Parameters
    ----------
    weights, operating_point
        As for `Detector`.
    person
        A person's profile, or its file: what `adapt` learned.
    learn
        Go on learning: beats are unlabelled evidence for the beats after them. Keep `person` at the
        end. Decisions then differ from those of `Detector`.

    Examples
    --------
    >>> detector = StreamDetector()
    >>> intervals_ms = [812.0, 790.0, 805.0, 798.0] * 18
    >>> decisions = [one for rr_ms in intervals_ms for one in detector.push(rr_ms)]
    >>> len(decisions), decisions[0].time_s, decisions[0].af
    (10, 0.812, False)
    """

    def __init__(
        self,
        weights: str | Path = BUNDLED[0],
        *,
        operating_point: OperatingPoint = "balanced",
        person: Person | str | Path | None = None,
        learn: bool = False,
    ) -> None:
        self.judge = open_judge(weights, operating_point)
        profile = person_of(self.judge, person)
        self._who: StreamPerson | None = None
        if isinstance(self.judge, BeatJudge) and profile is not None:
            prior = self.judge.artifact.prior("causal")
            self._who = StreamPerson(profile, prior, learn=learn)
        elif learn:
            raise DetectError(
                "there is no profile to learn into; give person=, or an empty one: "
                "person=new_person()"
            )
        self._passed_ms = 0.0
        self._beats = self._plausible = self._gaps = self._longest_run = 0
        self._looked_at = 0
        self._faults = dict.fromkeys(Fault, 0)
        self._restart()

    def _restart(self) -> None:
        self._stretch = self.judge.stream(self._who)
        self._run = 0
        self._times: deque[tuple[float, float]] = deque()
        """Start and end of the undecided beats of this stretch."""
        self._first = 0
        """Position of the first of them in the stretch."""

    @property
    def notices(self) -> tuple[PersonNotice, ...]:
        """What there is to know about the profile so far, such as why it was set aside."""
        return () if self._who is None else self._who.notices

    @property
    def person(self) -> Person | None:
        """The profile with all that was learned since, where one was given."""
        return None if self._who is None else self._who.person

    @property
    def offered(self) -> Offered:
        """Counts of the beats so far."""
        return Offered(
            needed_beats=self.judge.needed_beats,
            beats=self._beats,
            plausible=self._plausible,
            gaps=self._gaps,
            longest_run=self._longest_run,
            looked_at=self._looked_at,
            sparse=self._faults[Fault.SPARSE],
            repeated=self._faults[Fault.REPEATED],
        )

    def push(self, rr_ms: float) -> tuple[Decision, ...]:
        """Take one interval; return the decisions that are due, in order."""
        if not (math.isfinite(rr_ms) and rr_ms >= 0):
            raise DetectError(f"an interval of {rr_ms} ms; expected a finite number, 0 or larger")
        if rr_ms > LONGEST_MS:
            raise DetectError(f"an interval of {rr_ms:g} ms, more than a day; start a new stream")
        rr_ms = float(np.float32(rr_ms))  # as recordings keep it
        if self._who is not None:
            self._who.heard(rr_ms)
        start_s = self._passed_ms / 1000.0
        self._passed_ms += rr_ms
        self._beats += 1
        if rr_ms > GAP_MS:
            found = self.finish()
            self._gaps += 1
            return found
        self._times.append((start_s, self._passed_ms / 1000.0))
        if PLAUSIBLE_MS[0] <= rr_ms <= PLAUSIBLE_MS[1]:
            self._plausible += 1
            self._run += 1
            self._longest_run = max(self._longest_run, self._run)
        return self._timed(self._stretch.push(rr_ms))

    def finish(self) -> tuple[Decision, ...]:
        """End the stream, or a stretch before a gap: return the remaining decisions."""
        found = self._timed(self._stretch.finish())
        self._restart()
        return found

    def _timed(self, decided: tuple[StepDecision, ...]) -> tuple[Decision, ...]:
        """Decisions with their times; beats that are not judged are counted."""
        found = []
        for one in decided:
            times = [self._times.popleft() for _ in range(one.last + 1 - self._first)]
            start_s, end_s = times[one.first - self._first][0], times[-1][1]
            self._first = one.last + 1
            self._looked_at += one.fault is not Fault.TOO_FEW
            self._faults[one.fault] += 1
            if one.fault is Fault.NONE:
                found.append(Decision(start_s, end_s, probability(one.log_odds), one.af))
        return tuple(found)

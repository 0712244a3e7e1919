"""AF beat by beat: what the causal detector says of a recording, said while it is heard."""

import math
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.detect.bundled import BUNDLED, open_judge
from pacl.detect.detection import LONGEST_MS
from pacl.detect.errors import DetectError
from pacl.detect.judge import OperatingPoint, StepDecision
from pacl.detect.not_judged import Fault
from pacl.detect.smoother import probability
from pacl.detect.usable_beats import Offered
from pacl.records import GAP_MS, PLAUSIBLE_MS


@dataclass(frozen=True, slots=True)
class Decision:
    """What is said of a beat, or of some: seconds since the first beat, and how likely AF is.

    Parameters
    ----------
    start_s, time_s
        When it begins and ends.
    probability
        How likely it is AF.
    af
        Whether it is part of an episode.
    """

    start_s: float
    time_s: float
    probability: float
    af: bool


class StreamDetector:
    """Takes intervals one at a time, and decides with a bounded delay.

    It agrees to the bit with `Detector.detect(record, "causal")`. Memory does not grow. With
    `af-beats` every beat is decided once 60 to 70 more were heard.

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
    ) -> None:
        self.judge = open_judge(weights, operating_point)
        self._passed_ms = 0.0
        self._heard = self._plausible = self._gaps = self._longest_run = 0
        self._looked_at = 0
        self._faults = dict.fromkeys(Fault, 0)
        self._restart()

    def _restart(self) -> None:
        self._stretch = self.judge.stream()
        self._run = 0
        self._times: deque[tuple[float, float]] = deque()
        """When the beats of this stretch that are not decided begin and end."""
        self._first = 0
        """Which beat of the stretch the first of them is."""

    @property
    def offered(self) -> Offered:
        """Counts of the beats so far."""
        return Offered(
            needed_beats=self.judge.needed_beats,
            beats=self._heard,
            plausible=self._plausible,
            gaps=self._gaps,
            longest_run=self._longest_run,
            looked_at=self._looked_at,
            sparse=self._faults[Fault.SPARSE],
            repeated=self._faults[Fault.REPEATED],
        )

    def push(self, rr_ms: float) -> tuple[Decision, ...]:
        """Take one interval; the decisions that are due, in order."""
        if not (math.isfinite(rr_ms) and rr_ms >= 0):
            raise DetectError(f"an interval of {rr_ms} ms; give finite numbers from 0 up")
        if rr_ms > LONGEST_MS:
            raise DetectError(f"an interval of {rr_ms:g} ms, more than a day; begin a new stream")
        rr_ms = float(np.float32(rr_ms))  # as recordings keep it
        begun_s = self._passed_ms / 1000.0
        self._passed_ms += rr_ms
        self._heard += 1
        if rr_ms > GAP_MS:
            found = self.finish()
            self._gaps += 1
            return found
        self._times.append((begun_s, self._passed_ms / 1000.0))
        if PLAUSIBLE_MS[0] <= rr_ms <= PLAUSIBLE_MS[1]:
            self._plausible += 1
            self._run += 1
            self._longest_run = max(self._longest_run, self._run)
        return self._timed(self._stretch.push(rr_ms))

    def finish(self) -> tuple[Decision, ...]:
        """Nothing follows, or a gap does: the decisions that can still be made."""
        found = self._timed(self._stretch.finish())
        self._restart()
        return found

    def _timed(self, decided: tuple[StepDecision, ...]) -> tuple[Decision, ...]:
        """Decisions with their times; those that cannot be made are counted."""
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

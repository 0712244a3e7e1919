"""From the logits of beats to decisions: AF is a run of beats with enough length and evidence.

```
log odds    - - + + + - - + + + + - - - - - - -      slope * logit + shift
run             [- - - - - - - - -]                  a short interruption is part of the run
AF              x x x x x x x x x                    if the run is long and its log odds add up
```

In a complete stretch all beats are known. In a stream a beat is decided `lag` beats later, by the
runs known then.
"""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from pacl.adaptation import Posterior, adjusted
from pacl.axes import Array, Bool, Float, Float64
from pacl.detect.judge import probability
from pacl.detect.not_judged import DetectError


@dataclass(frozen=True, slots=True)
class Decoder:
    """Which beats are in AF.

    Parameters
    ----------
    slope, shift
        Log odds of AF = slope * logit + shift: the calibration and the operating point.
    bridge
        Interruptions of fewer beats between two beats of positive log odds are part of a run.
    least_beats
        Least beats of a run, interruptions included.
    evidence
        Least sum of its log odds, interruptions included.
    lag
        A stream decides a beat this many beats after its logit. None: at the end of the stretch.

    Examples
    --------
    >>> decoder = Decoder(bridge=2, least_beats=3, evidence=4.0)
    >>> decoder.decode(np.array([-1.0, 3.0, -1.0, 3.0, -1.0, -1.0, 9.0])).tolist()
    [False, True, True, True, False, False, False]
    """

    slope: float = 1.0
    shift: float = 0.0
    bridge: int = 15
    least_beats: int = 5
    evidence: float = 10.0
    lag: int | None = 30

    def __post_init__(self) -> None:
        numbers = (self.slope, self.shift, self.evidence)
        if not all(map(math.isfinite, numbers)) or self.slope <= 0:
            raise DetectError(f"{self}; give finite numbers, and a slope above 0")
        if self.bridge < 1 or self.least_beats < 1 or (self.lag is not None and self.lag < 0):
            raise DetectError(f"{self}; give bridge and least_beats from 1 up, lag from 0 up")

    def log_odds(
        self, logits: Float[Array, "beat"], own: Posterior | None = None
    ) -> Float64[Array, "beat"]:
        """Log odds of AF of each beat; of one person, if `own` is given."""
        found: Float64[Array, "beat"] = self.slope * logits.astype(np.float64)
        return (found if own is None else adjusted(found, own)) + self.shift

    def decode(
        self, logits: Float[Array, "beat"], own: Posterior | None = None
    ) -> Bool[Array, "beat"]:
        """Beats in AF of a complete stretch without a gap."""
        log_odds = self.log_odds(logits, own)
        if not np.isfinite(log_odds).all():
            raise DetectError(
                "a logit is not a finite number; the network has diverged, train it again"
            )
        changes = np.zeros(log_odds.size + 1, np.int8)
        positive = np.flatnonzero(log_odds > 0)
        if positive.size:
            ends = np.flatnonzero(np.diff(positive) > self.bridge)
            first = positive[np.append(0, ends + 1)]
            after = positive[np.append(ends, positive.size - 1)] + 1
            edges = np.stack([first, after], axis=1).ravel()
            sums = np.add.reduceat(np.append(log_odds, 0.0), edges)[::2]
            counts = (after - first >= self.least_beats) & (sums >= self.evidence)
            changes[first[counts]] = 1
            changes[after[counts]] = -1
        af: Bool[Array, "beat"] = np.cumsum(changes[:-1], dtype=np.int8) > 0
        return af

    def begin(self) -> "DecoderState":
        """The state before the first beat of a stream."""
        return DecoderState(self)


@dataclass(frozen=True, slots=True)
class DecidedBeat:
    """The decision on one beat: its log odds of AF, and whether it is in AF."""

    log_odds: float
    af: bool

    @property
    def probability(self) -> float:
        """Probability of AF from the log odds of this beat alone."""
        return probability(self.log_odds)


class DecoderState:
    """Decides a stretch beat by beat; its memory grows with the lag, not with the stretch.

    Beats are decided in order, each once. `pacl/export/beats/template/decoder.c` does the same.
    """

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self._reset()

    def _reset(self) -> None:
        self._waiting: deque[float] = deque()
        """Log odds of the undecided beats, the oldest first."""
        self._counted: deque[bool] = deque()
        """Whether they lie in an ended run of AF."""
        self._run_beats = 0  # of the run that is still open, up to its last positive beat
        self._run_sum = 0.0
        self._since = 0  # beats after that one
        self._since_sum = 0.0

    def push(self, log_odds: float) -> DecidedBeat | None:
        """Take one more beat; return the decision on the beat `lag` beats ago, if any."""
        if not math.isfinite(log_odds):
            raise DetectError(f"log odds of {log_odds}; give finite numbers")
        self._waiting.append(log_odds)
        self._counted.append(False)
        if log_odds > 0:
            before = self._run_beats > 0
            self._run_beats += 1 + (self._since if before else 0)
            self._run_sum += log_odds + (self._since_sum if before else 0.0)
            self._since, self._since_sum = 0, 0.0
        elif self._run_beats:
            self._since += 1
            self._since_sum += log_odds
            if self._since == self.decoder.bridge:
                self._end_run()
        lag = self.decoder.lag
        return self._decide() if lag is not None and len(self._waiting) > lag else None

    def flush(self) -> list[DecidedBeat]:
        """End the stretch: decide all remaining beats, and start again."""
        found = [self._decide() for _ in range(len(self._waiting))]
        self._reset()
        return found

    def _run_counts(self) -> bool:
        long = self._run_beats >= self.decoder.least_beats
        return long and self._run_sum >= self.decoder.evidence

    def _in_run(self, beats_ago: int) -> bool:
        return self._since <= beats_ago < self._since + self._run_beats

    def _end_run(self) -> None:
        if self._run_counts():
            newest = len(self._counted) - 1
            for at in range(newest + 1):
                self._counted[at] |= self._in_run(newest - at)
        self._run_beats, self._run_sum = 0, 0.0
        self._since, self._since_sum = 0, 0.0

    def _decide(self) -> DecidedBeat:
        """Decide the oldest beat by the runs known now."""
        in_run = self._in_run(len(self._waiting) - 1) and self._run_counts()
        return DecidedBeat(self._waiting.popleft(), self._counted.popleft() or in_run)

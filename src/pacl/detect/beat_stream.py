"""A stretch of beats, judged while it arrives: ten beats at a time, with a bounded delay.

```
received      ... [ block of ten ]            now
logits        ... [ block ]<- ahead ->        the network looks a few beats ahead
decided       ... [ group ]<- lag ->          the decoder waits for more
```
"""

from collections import deque

import numpy as np

from pacl.axes import Array, Bool, Float32
from pacl.detect.beat_scorer import BlockScorer, absent
from pacl.detect.decoder import DecidedBeat, Decoder
from pacl.detect.judge import StepDecision
from pacl.detect.not_judged import MOST_DROPPED, Fault
from pacl.detect.quality import AFTER, AROUND, GROUP, LOOKED_AT, is_repeating
from pacl.detect.stream_person import StreamPerson
from pacl.records import PLAUSIBLE_MS
from pacl.rr import is_implausible


class BeatStream:
    """Decides each beat once 60 to 70 more are known; memory does not grow.

    `needed_beats` plausible beats are needed for a decision.
    """

    def __init__(
        self,
        scorer: BlockScorer,
        decoder: Decoder,
        needed_beats: int,
        who: StreamPerson | None = None,
    ) -> None:
        self._scorer, self._decoder, self._who = scorer, decoder, who
        self._of_everybody: deque[float] = deque()
        """The population's log odds of the undecided beats, to learn a person from."""
        self._needed = needed_beats
        self._state, self._decoding = scorer.initial, decoder.begin()
        self._recent: deque[float] = deque(maxlen=LOOKED_AT)
        self._block: list[float] = []
        self._received = self._plausible = self._given = 0
        self._next = -scorer.ahead
        """The beat of the network's next logit."""
        self._decided: deque[DecidedBeat] = deque()

    def push(self, rr_ms: float) -> tuple[StepDecision, ...]:
        """Take one interval; every tenth returns ten decisions, once enough beats are known."""
        self._recent.append(rr_ms)
        self._block.append(rr_ms)
        self._received += 1
        self._plausible += PLAUSIBLE_MS[0] <= rr_ms <= PLAUSIBLE_MS[1]
        if len(self._block) < GROUP:
            return ()
        self._judge(np.array(self._block, np.float32), np.ones(GROUP, np.bool_))
        self._block.clear()
        if self._given + GROUP + AFTER > self._received:
            return ()
        return self._group()

    def finish(self) -> tuple[StepDecision, ...]:
        """End the stretch: decide all remaining beats."""
        if self._block:
            rr_ms, present = absent()
            rr_ms[: len(self._block)], present[: len(self._block)] = self._block, True
            self._judge(rr_ms, present)
        while self._next < self._received:
            self._judge(*absent())
        self._decided.extend(self._decoding.flush())
        found: list[StepDecision] = []
        while self._given < self._received:
            found += self._group()
        return tuple(found)

    def _judge(self, rr_ms: Float32[Array, "beat"], present: Bool[Array, "beat"]) -> None:
        """One block through the network, and its logits through the decoder."""
        logits, self._state = self._scorer.step(rr_ms, present, self._state)
        own = None if self._who is None else self._who.own
        everybody = (self._decoder.slope * logits.astype(np.float64)).tolist()
        for at, log_odds in enumerate(self._decoder.log_odds(logits, own).tolist()):
            if 0 <= self._next < self._received:
                self._of_everybody.append(everybody[at])
                one = self._decoding.push(log_odds)
                if one is not None:
                    self._decided.append(one)
            self._next += 1

    def _group(self) -> tuple[StepDecision, ...]:
        """Decisions on the next group of beats."""
        first = self._given
        beats = min(GROUP, self._received - first)
        decided = [self._decided.popleft() for _ in range(beats)]
        everybody = [self._of_everybody.popleft() for _ in range(beats)]
        self._given += beats
        fault = self._fault(first, beats)
        if self._who is not None and fault is Fault.NONE:
            before = self._received - len(self._recent)
            rr_ms = np.array(self._recent, np.float32)[first - before : first - before + beats]
            self._who.add(rr_ms, np.array(everybody))
        if fault is not Fault.NONE:
            return tuple(
                StepDecision(first + at, first + at, np.nan, False, fault) for at in range(beats)
            )
        return tuple(
            StepDecision(first + at, first + at, one.log_odds, one.af)
            for at, one in enumerate(decided)
        )

    def _fault(self, first: int, beats: int) -> Fault:
        """The same as `group_faults` finds in a complete stretch."""
        rr_ms = np.array(self._recent, np.float32)
        before = self._received - rr_ms.size
        if self._plausible < self._needed:
            return Fault.TOO_FEW
        around = rr_ms[max(first - AROUND - before, 0) : first + beats + AROUND - before]
        dropped = int(is_implausible(around).sum())
        if dropped > MOST_DROPPED * (around.size - dropped):
            return Fault.SPARSE
        if is_repeating(rr_ms[None])[0]:
            return Fault.REPEATED
        return Fault.NONE

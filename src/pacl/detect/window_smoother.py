"""From the logits of windows to the probability of AF at each step: a hidden Markov model.

The rhythm is AF or not; at each step of 50 beats it may change. Each window is a noisy observation
of it. Neighbouring windows share beats, so only a part of each logit is new information.

```
state    not AF --change--> AF --change--> not AF          at each step
odds     (odds one step before, moved on)  *  exp(trust * logit)
```

AF begins as often as it ends, and both states are equally likely at first: AF may be rarer in new
patients than in the cohort.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pacl.detect.judge import probability

MOST_LOG_ODDS = 30.0
"""Log odds are limited to this: no decision is ever certain."""


@dataclass(frozen=True, slots=True)
class Smoother:
    """A hidden Markov model of two states.

    `change` is the probability that the rhythm changes from one step to the next, `trust` the share
    of a window's logit that is new information.
    """

    change: float
    trust: float

    def advance(self, log_odds: float | None, logit: float) -> float:
        """Log odds of AF after one more window; None before the first."""
        known = 0.0 if log_odds is None else self._one_step_on(log_odds)
        return _bounded(known + self.trust * logit)

    def filter(self, logits: Iterable[float]) -> list[float]:
        """Log odds at each step, from the windows up to it."""
        found: list[float] = []
        log_odds: float | None = None
        for logit in logits:
            log_odds = self.advance(log_odds, logit)
            found.append(log_odds)
        return found

    def smooth(self, logits: Sequence[float]) -> list[float]:
        """Log odds at each step, from all windows, before it and after it."""
        found = self.filter(logits)
        later = 0.0
        for at in range(len(found) - 1, -1, -1):
            found[at] = _bounded(found[at] + later)
            later = self._one_step_on(_bounded(later + self.trust * logits[at]))
        return found

    def _one_step_on(self, log_odds: float) -> float:
        """Log odds of a neighbouring step, on either side."""
        af = probability(log_odds)
        there = af * (1.0 - self.change) + (1.0 - af) * self.change
        return math.log(there / (1.0 - there))


LOOK_AHEAD_SMOOTHER = Smoother(change=0.11, trust=0.2)
"""For complete recordings: each step is judged by all windows that hold it, then smoothed. Fitted
out of fold on LTAFDB, as is the other, by `benchmarks/weights_smoother.py`."""

CAUSAL_SMOOTHER = Smoother(change=0.056, trust=0.28)
"""For streams: each step is judged by the window that ends with it, then filtered."""


def _bounded(log_odds: float) -> float:
    return max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, log_odds))

"""From the logits of windows to how likely AF is at each step: a hidden Markov model.

A heart is in AF or not; at each step of 50 beats it may change. What a window says is a noisy word
about that: neighbouring windows share beats, so that only a part of each logit counts as news.

```
state    not AF --change--> AF --change--> not AF          at each step
odds     (what was known, one step on)  *  exp(trust * logit)
```

AF begins as often as it ends, and nothing is known at first: whoever is judged need not be a
patient of a cohort with much AF.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from pacl.axes import Array, Float64

FARTHEST = 30.0
"""Log odds beyond this are taken for this: nothing is ever certain."""


@dataclass(frozen=True, slots=True)
class Smoother:
    """A hidden Markov model of two states.

    Parameters
    ----------
    change
        Probability that the rhythm changes from one step to the next.
    trust
        What of a window's logit counts as news.
    """

    change: float
    trust: float

    def advance(self, log_odds: float | None, logit: float) -> float:
        """Log odds of AF after one more window; None before the first."""
        known = 0.0 if log_odds is None else self._one_step_on(log_odds)
        return _bounded(known + self.trust * logit)

    def filter(self, logits: Iterable[float]) -> list[float]:
        """Log odds at each step, from what was seen up to it."""
        found: list[float] = []
        log_odds: float | None = None
        for logit in logits:
            log_odds = self.advance(log_odds, logit)
            found.append(log_odds)
        return found

    def smooth(self, logits: Sequence[float]) -> list[float]:
        """Log odds at each step, from all that was seen, before it and after it."""
        found = self.filter(logits)
        later = 0.0
        for at in range(len(found) - 1, -1, -1):
            found[at] = _bounded(found[at] + later)
            later = self._one_step_on(_bounded(later + self.trust * logits[at]))
        return found

    def _one_step_on(self, log_odds: float) -> float:
        """What is known of a step, said of its neighbour, on either side."""
        af = probability(log_odds)
        there = af * (1.0 - self.change) + (1.0 - af) * self.change
        return math.log(there / (1.0 - there))


LOOK_AHEAD = Smoother(change=0.11, trust=0.2)
"""For whole recordings: each step is judged by all windows that hold it, then smoothed. Learned out
of fold on LTAFDB, as is the other, by `benchmarks/weights_smoother.py`."""

CAUSAL = Smoother(change=0.056, trust=0.28)
"""For streams: each step is judged by the window that ends with it, then filtered."""


@overload
def probability(log_odds: float) -> float: ...
@overload
def probability(log_odds: Float64[Array, "step"]) -> Float64[Array, "step"]: ...
def probability(log_odds: float | Array) -> float | Array:
    """From log odds to a probability; the same to the bit for one and for many."""
    likely = 0.5 * (1.0 + np.tanh(0.5 * np.asarray(log_odds, dtype=np.float64)))
    return likely if isinstance(log_odds, np.ndarray) else float(likely)


def _bounded(log_odds: float) -> float:
    return max(-FARTHEST, min(FARTHEST, log_odds))

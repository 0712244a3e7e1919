"""From the logits of windows to how likely AF is at each step: a hidden Markov model.

A heart is in AF or not; at each step of 50 beats it may change. What a window says is a noisy word
about that: neighbouring windows share beats, so that only a part of each logit counts as news.

```
state    not AF --begins--> AF --ends--> not AF          at each step
odds     (what was known, one step on)  *  exp(trust * logit + shift)
```
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FARTHEST = 30.0
"""Log odds beyond this are taken for this: nothing is ever certain."""


@dataclass(frozen=True, slots=True)
class Smoother:
    """A hidden Markov model of two states.

    Parameters
    ----------
    begins, ends
        Probability that AF begins, and that it ends, from one step to the next.
    trust, shift
        What of a window's logit counts: `trust * logit + shift`.
    """

    begins: float
    ends: float
    trust: float
    shift: float

    @property
    def before(self) -> float:
        """Log odds of AF before anything is known: its share in the long run."""
        return math.log(self.begins / self.ends)

    def advance(self, log_odds: float | None, logit: float) -> float:
        """Log odds of AF after one more window; None before the first."""
        known = self.before if log_odds is None else self._one_step_on(log_odds)
        return _bounded(known + self.trust * logit + self.shift)

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
            later = self._one_step_back(_bounded(later + self.trust * logits[at] + self.shift))
        return found

    def _one_step_on(self, log_odds: float) -> float:
        af = probability(log_odds)
        after = af * (1.0 - self.ends) + (1.0 - af) * self.begins
        return math.log(after / (1.0 - after))

    def _one_step_back(self, evidence: float) -> float:
        """What evidence about the next step says about this one."""
        odds = math.exp(evidence)
        return math.log(
            ((1.0 - self.ends) * odds + self.ends) / (self.begins * odds + 1.0 - self.begins)
        )


LOOK_AHEAD = Smoother(begins=0.0409, ends=0.0182, trust=0.0588, shift=-0.0023)
"""For whole recordings: each step is judged by all windows that hold it, then smoothed. Learned out
of fold on LTAFDB, as is the other, by `benchmarks/weights_smoother.py`."""

CAUSAL = Smoother(begins=0.0325, ends=0.0152, trust=0.1917, shift=-0.0068)
"""For streams: each step is judged by the window that ends with it, then filtered."""


def probability(log_odds: float) -> float:
    """From log odds to a probability."""
    return 0.5 * (1.0 + math.tanh(0.5 * log_odds))


def _bounded(log_odds: float) -> float:
    return max(-FARTHEST, min(FARTHEST, log_odds))

"""What is known of one subject: sums of stretches, and corrections."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float, Float64

LIMIT = 8.0
"""Log odds are clipped to this distance from 0, so that no single stretch dominates a mean."""

SURELY_REFERENCE = -2.2
"""Log odds below which an unlabelled stretch counts as the reference class: a probability of the
target class below 0.1."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Stretches of the reference class: how much, and the mean of their log odds.

    Examples
    --------
    >>> Evidence().plus(np.array([-6.0, -5.0]), np.array([1.0, 3.0]))
    Evidence(amount=4.0, mean=-5.25)
    """

    amount: float = 0.0
    mean: float = 0.0

    def plus(
        self, log_odds: Float[Array, "stretch"], amounts: Float[Array, "stretch"]
    ) -> "Evidence":
        """The same and more stretches, each with its amount."""
        amount = self.amount + float(amounts.sum(dtype=np.float64))
        if amount <= 0:
            return self
        more = float((np.clip(log_odds, -LIMIT, LIMIT).astype(np.float64) * amounts).sum())
        return Evidence(amount, (self.amount * self.mean + more) / amount)


@dataclass(frozen=True, slots=True)
class Correction:
    """A stretch that was called wrong: its true class, and the mean of its log odds as called."""

    target: bool
    log_odds: float


def surely_reference(log_odds: Float64[Array, "stretch"]) -> Bool[Array, "stretch"]:
    """Unlabelled stretches that count as the reference class."""
    found: Bool[Array, "stretch"] = log_odds < SURELY_REFERENCE
    return found

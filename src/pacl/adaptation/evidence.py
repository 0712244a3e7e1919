"""What is known of one subject: sums of stretches, and corrections."""

import math
from dataclasses import dataclass

import numpy as np

from pacl.adaptation.prior import AdaptationError
from pacl.axes import Array, Float

LIMIT = 12.0
"""Log odds are clipped to this distance from 0, so that no single stretch dominates a mean."""

SURELY_REFERENCE = -2.2
"""Log odds below which an unlabelled stretch counts as the reference class: a probability of the
target class below 0.1."""

LEAST_SHARE = 0.2
"""Least share of unlabelled stretches that must be of the reference class. With less, most of what
was seen may be the target class, such as a state that never ends: nothing is learned from it."""


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

    def __post_init__(self) -> None:
        if not (math.isfinite(self.amount) and math.isfinite(self.mean) and self.amount >= 0):
            raise AdaptationError(
                f"{self}; give an amount from 0 up, and log odds that are numbers"
            )

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
class Unlabelled:
    """Stretches of unknown class: how much there are, and those surely of the reference class.

    Examples
    --------
    >>> found = Unlabelled().plus(np.array([-6.0, 5.0, -4.0]), np.ones(3))
    >>> found.amount, found.sure, round(found.share, 2), found.usable
    (3.0, Evidence(amount=2.0, mean=-5.0), 0.67, True)
    """

    amount: float = 0.0
    sure: Evidence = Evidence()

    def plus(
        self, log_odds: Float[Array, "stretch"], amounts: Float[Array, "stretch"]
    ) -> "Unlabelled":
        """The same and more stretches, each with its amount."""
        sure = log_odds < SURELY_REFERENCE
        return Unlabelled(
            self.amount + float(amounts.sum(dtype=np.float64)),
            self.sure.plus(log_odds[sure], amounts[sure]),
        )

    @property
    def share(self) -> float:
        """Share that is surely of the reference class."""
        return self.sure.amount / self.amount if self.amount > 0 else 0.0

    @property
    def usable(self) -> bool:
        """Whether enough of it is of the reference class to learn from it."""
        return self.share >= LEAST_SHARE


@dataclass(frozen=True, slots=True)
class Correction:
    """A stretch that was called wrong: its true class, and the mean of its log odds as called."""

    target: bool
    log_odds: float

    def __post_init__(self) -> None:
        if math.isnan(self.log_odds):
            raise AdaptationError(f"{self}; give log odds that are a number")

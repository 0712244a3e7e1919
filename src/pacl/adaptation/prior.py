"""How the reference class lies from subject to subject, and how well a little evidence shows it."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pacl.errors import PaclError
from pacl.stored import MisfitError, build


class AdaptationError(PaclError):
    """Evidence or a prior that cannot be used; the message states what and why."""


@dataclass(frozen=True, slots=True)
class EvidenceNoise:
    """How far the mean of some evidence lies from a subject's own place.

    Parameters
    ----------
    amounts
        Amounts of evidence that were tried, such as minutes or windows; rising.
    bias, variance
        Mean and variance over subjects of the difference.

    Examples
    --------
    >>> noise = EvidenceNoise(amounts=(1.0, 4.0), bias=(0.5, 0.1), variance=(2.0, 1.0))
    >>> noise.at(2.0)
    (0.3, 1.5)
    >>> noise.at(0.5)  # half of the least amount: twice the variance
    (0.5, 4.0)
    """

    amounts: tuple[float, ...]
    bias: tuple[float, ...]
    variance: tuple[float, ...]

    def __post_init__(self) -> None:
        lengths = {len(self.amounts), len(self.bias), len(self.variance)}
        numbers = (*self.amounts, *self.bias, *self.variance)
        if len(lengths) > 1 or not self.amounts or not all(map(math.isfinite, numbers)):
            raise AdaptationError(f"{self}; give as many amounts as biases and variances")
        if not all(np.diff((0.0, *self.amounts)) > 0) or min(self.variance) < 0:
            raise AdaptationError(f"{self}; give rising amounts above 0, and variances from 0 up")

    def at(self, amount: float) -> tuple[float, float]:
        """Bias and variance for an amount above 0, between those tried on a logarithmic scale."""
        where, known = math.log(amount), np.log(self.amounts)
        bias, variance = (float(np.interp(where, known, one)) for one in (self.bias, self.variance))
        return round(bias, 12), round(variance * max(1.0, self.amounts[0] / amount), 12)


@dataclass(frozen=True, slots=True)
class SubjectPrior:
    """Places of the classes on the axis of log odds, over subjects.

    A subject's place of a class is the mean of its log odds in that subject.

    Parameters
    ----------
    reference, reference_sd
        Mean and standard deviation over subjects of the place of the reference class.
    target, target_sd
        The same for the target class.
    target_follows
        How far the target class moves with the reference class from subject to subject: 0 stays, 1
        moves as far.
    known
        Noise of stretches that are known to be of the reference class.
    unlabelled
        Noise of unlabelled stretches that are surely of the reference class by the population's
        log odds. None: unlabelled stretches are not learned from.
    shift_sd
        Standard deviation over subjects of what corrections show: a shift of all log odds.
    subjects
        Subjects it was learned from.
    """

    reference: float
    reference_sd: float
    target: float
    target_sd: float
    known: EvidenceNoise
    unlabelled: EvidenceNoise | None
    target_follows: float = 0.0
    shift_sd: float = 1.0
    subjects: int = 0

    def __post_init__(self) -> None:
        numbers = (self.reference, self.reference_sd, self.target, self.target_sd, self.shift_sd)
        if not 0 <= self.target_follows <= 1:
            raise AdaptationError(f"{self}; give target_follows from 0 to 1")
        if not all(map(math.isfinite, numbers)):
            raise AdaptationError(f"{self}; give finite numbers")
        if min(self.reference_sd, self.target_sd, self.shift_sd) < 0:
            raise AdaptationError(f"{self}; give standard deviations from 0 up")
        if self.target <= self.reference:
            raise AdaptationError(
                f"the target class at {self.target:.2f} is not above the reference class at "
                f"{self.reference:.2f}: the classifier does not separate them; train it again"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> "SubjectPrior":
        """The prior that `to_dict` wrote."""
        try:
            prior: SubjectPrior = build(cls, dict(stated))
            return prior
        except (MisfitError, OverflowError, TypeError, ValueError) as error:
            raise AdaptationError(f"not a prior over subjects: {error}") from error

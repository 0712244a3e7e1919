"""One subject's posterior in closed form, and log odds adjusted by it.

The place of the reference class is Gaussian over subjects, and so is the noise of the evidence: the
posterior is the mean of both, weighted by their precisions. Corrections add a shift of all log odds
by logistic regression with a Gaussian prior, in a few Newton steps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.adaptation.evidence import LIMIT, Correction, Evidence, Unlabelled
from pacl.adaptation.prior import SubjectPrior
from pacl.axes import Array, Float64

LEAST_APART = 3.0
"""A subject's reference class is at least so far below the target class, so that a stretch of the
target class is never taken for it; half the distance of the classes where they are close."""

MOST_SHIFT = 3.0
"""Corrections move log odds by at most so many of the prior's standard deviations, so that mistaken
ones cannot hide the target class altogether."""

STEPS = 50
EXACT = 1e-12


@dataclass(frozen=True, slots=True)
class Posterior:
    """Where one subject's classes lie, the shift that corrections ask for, and how sure.

    `place` and `target_place` are those of the subject, `reference` and `target` those of the
    population.
    """

    place: float
    place_sd: float
    target_place: float
    shift: float
    shift_sd: float
    reference: float
    target: float

    @property
    def changes(self) -> bool:
        """Whether any log odds are changed."""
        return self.place != self.reference or self.shift != 0.0

    @property
    def boundary(self) -> float:
        """The population's log odds that become 0: where the target class begins here.

        Examples
        --------
        >>> own = Posterior(-4.0, 0.5, 4.0, 0.0, 1.0, reference=-8.0, target=4.0)
        >>> round(own.boundary, 3), abs(float(adjusted(np.array([own.boundary]), own)[0])) < 1e-9
        (1.333, True)
        """
        own, everybody = (self.place, self.target_place), (self.reference, self.target)
        return float(_moved(np.array([-self.shift]), everybody, own)[0])


def posterior(
    prior: SubjectPrior,
    known: Evidence = Evidence(),
    *,
    unlabelled: Unlabelled = Unlabelled(),
    corrections: Sequence[Correction] = (),
) -> Posterior:
    """What the evidence says about one subject; without evidence the population's values.

    Examples
    --------
    >>> from pacl.adaptation import EvidenceNoise
    >>> noise = EvidenceNoise((5.0,), (0.0,), (1.0,))
    >>> prior = SubjectPrior(-7.0, 1.0, 5.0, 1.0, known=noise, unlabelled=noise)
    >>> posterior(prior).changes
    False
    >>> found = posterior(prior, Evidence(amount=5.0, mean=-4.0))
    >>> found.place, round(found.place_sd, 3)
    (-5.5, 0.707)
    """
    place, place_sd = prior.reference, prior.reference_sd
    seen = [(known, prior.known)]
    if unlabelled.usable and prior.unlabelled is not None:
        seen.append((unlabelled.sure, prior.unlabelled))
    seen = [(one, noise) for one, noise in seen if one.amount > 0]
    if place_sd > 0 and seen:
        precision, weighted = 1 / place_sd**2, 0.0
        for one, noise in seen:
            bias, variance = noise.at(one.amount)
            weight = 1 / max(variance, 1e-9)
            precision += weight
            weighted += weight * (one.mean - bias - prior.reference)
        apart = min(LEAST_APART, (prior.target - prior.reference) / 2)
        place = min(prior.reference + weighted / precision, prior.target - apart)
        place_sd = math.sqrt(1 / precision)
    found = Posterior(
        place=place,
        place_sd=place_sd,
        target_place=prior.target + prior.target_follows * (place - prior.reference),
        shift=0.0,
        shift_sd=prior.shift_sd,
        reference=prior.reference,
        target=prior.target,
    )
    return _shifted(found, corrections, prior.shift_sd) if corrections else found


def adjusted(log_odds: Float64[Array, "stretch"], own: Posterior) -> Float64[Array, "stretch"]:
    """Log odds of a subject, moved so that their classes lie where the population's lie.

    The order of the log odds is kept.
    """
    if not own.changes:
        return log_odds
    moved = _moved(log_odds, (own.place, own.target_place), (own.reference, own.target))
    found: Float64[Array, "stretch"] = moved + own.shift
    return found


def _moved(
    log_odds: Float64[Array, "stretch"], of: tuple[float, float], to: tuple[float, float]
) -> Float64[Array, "stretch"]:
    """Move two places to two others; what lies between them is stretched, what is beyond moves."""
    share = np.clip((log_odds - of[0]) / (of[1] - of[0]), 0.0, 1.0)
    found: Float64[Array, "stretch"] = (
        log_odds + (to[0] - of[0]) * (1.0 - share) + (to[1] - of[1]) * share
    )
    return found


def _shifted(own: Posterior, corrections: Sequence[Correction], sd: float) -> Posterior:
    """The shift that corrections ask for; each counts as one observation."""
    if sd <= 0:
        return own
    called = np.clip([one.log_odds for one in corrections], -LIMIT, LIMIT).astype(np.float64)
    log_odds = adjusted(called, own)
    true = np.array([one.target for one in corrections], np.float64)
    shift, step = 0.0, math.inf
    bend = 1 / sd**2
    for _ in range(STEPS):
        likely = 0.5 * (1.0 + np.tanh(0.5 * (log_odds + shift)))
        slope = float((likely - true).sum()) + shift / sd**2
        bend = float((likely * (1.0 - likely)).sum()) + 1 / sd**2
        step = float(np.clip(slope / bend, -1.0, 1.0))
        shift -= step
        if abs(step) < EXACT:
            break
    return Posterior(
        own.place,
        own.place_sd,
        own.target_place,
        min(max(shift, -MOST_SHIFT * sd), MOST_SHIFT * sd),
        1 / math.sqrt(bend),
        own.reference,
        own.target,
    )

"""Calibration: how probabilities agree with the share of AF, and Platt scaling of logits.

Platt scaling is fitted on logits of unseen subjects: on the training subjects, logits are too
confident.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int, Int64
from pacl.evaluation.errors import EvaluationError
from pacl.records import Rhythm

BINS = 10
CERTAIN = 1e-12
"""Least distance of a probability from 0 and 1 where odds are needed."""
STEPS = 100
UNCERTAIN = 1e12
"""Condition number from which on slope and intercept are rounding errors."""
TOLERANCE = 1e-10
IMPOSSIBLE = (
    "a threshold separates the rhythms without error, or higher logits are no likelier AF; "
    "calibrate on more subjects"
)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Windows with a probability from `low` up to, but (unless it is 1) not including, `high`.

    An empty bin has neither mean nor share.
    """

    low: float
    high: float
    windows: int
    mean_probability: float | None
    af_share: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well probabilities agree with the share of AF.

    Parameters
    ----------
    brier
        Mean squared distance of probability and label.
    expected_error
        Mean distance of `mean_probability` and `af_share` over the bins, weighted by windows
        (expected calibration error).
    slope, intercept
        Of the logistic regression of the labels on the logit: 1 and 0 if calibrated, a slope below
        1 where probabilities are too extreme. None where one rhythm is missing or a threshold
        separates the rhythms (nearly) without error: the slope would be infinite.
    bins
        Of equal width, from 0 to 1.
    """

    brier: float
    expected_error: float
    slope: float | None
    intercept: float | None
    bins: tuple[ReliabilityBin, ...]


def measure_calibration(
    labels: Int[Array, "window"], probability: Float[Array, "window"], *, bins: int = BINS
) -> Calibration:
    """Compare probabilities of AF with labels, 0 for SR and 1 for AF."""
    check_predictions(labels, probability)
    if bins < 1:
        raise EvaluationError(f"{bins} bins; give at least one")
    probability = probability.astype(np.float64)
    edges = np.linspace(0.0, 1.0, bins + 1)
    inside = bin_of(probability, bins)
    windows = np.bincount(inside, minlength=bins)
    expected = np.bincount(inside, probability, minlength=bins)
    in_af = np.bincount(inside, labels, minlength=bins)
    slope, intercept = _recalibrate(labels, probability)
    return Calibration(
        brier=float(np.mean((probability - labels) ** 2)),
        expected_error=float(np.abs(expected - in_af).sum() / labels.size),
        slope=slope,
        intercept=intercept,
        bins=tuple(
            ReliabilityBin(
                low=float(edges[at]),
                high=float(edges[at + 1]),
                windows=int(count),
                mean_probability=float(expected[at] / count) if count else None,
                af_share=float(in_af[at] / count) if count else None,
            )
            for at, count in enumerate(windows)
        ),
    )


def bin_of(probability: Float64[Array, "window"], bins: int = BINS) -> Int64[Array, "window"]:
    """The bin of each probability, counted from 0; bins are of equal width."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    return np.searchsorted(edges[1:-1], probability, side="right")


def check_predictions(labels: Int[Array, "label"], probability: Float[Array, "window"]) -> None:
    """Refuse labels other than SR and AF, and anything but a probability for each."""
    if labels.size != probability.size:
        raise EvaluationError(
            f"{labels.size} labels, {probability.size} probabilities; give each window both"
        )
    if not labels.size:
        raise EvaluationError("no windows; there is nothing to measure")
    other = np.flatnonzero((labels != Rhythm.SR) & (labels != Rhythm.AF))
    if other.size:
        raise EvaluationError(
            f"{other.size} of {labels.size} windows are neither 0 (SR) nor 1 (AF), the first is "
            f"window {other[0]} with label {labels[other[0]]}; leave them out"
        )
    outside = np.flatnonzero(~((probability >= 0) & (probability <= 1)))  # NaN is outside, too
    if outside.size:
        raise EvaluationError(
            f"{outside.size} of {labels.size} probabilities are not in [0, 1], the first is window "
            f"{outside[0]} with {probability[outside[0]]}; give probabilities, not logits"
        )


def _recalibrate(
    labels: Int[Array, "window"], probability: Float64[Array, "window"]
) -> tuple[float, float] | tuple[None, None]:
    """Slope and intercept by Newton's method, each step halved until the loss falls."""
    certain = np.clip(probability, CERTAIN, 1 - CERTAIN)
    logit = np.log(certain) - np.log1p(-certain)
    sr, af = logit[labels == Rhythm.SR], logit[labels == Rhythm.AF]
    if not sr.size or not af.size or sr.max() <= af.min() or af.max() <= sr.min():
        return None, None
    # Standardised, the two parameters hardly depend on each other and the steps are sound.
    mean, spread = logit.mean(), logit.std()
    design = np.stack([(logit - mean) / spread, np.ones_like(logit)])
    away = np.where(labels == Rhythm.AF, -1.0, 1.0)

    def loss(at: Float64[Array, "2"]) -> float:
        return float(np.logaddexp(0.0, away * (at @ design)).sum())

    solution = np.zeros(2)
    for _ in range(STEPS):
        share = 0.5 + 0.5 * np.tanh(0.5 * (solution @ design))
        hessian = (design * share * (1 - share)) @ design.T
        if not np.linalg.cond(hessian) < UNCERTAIN:
            return None, None
        step = np.linalg.solve(hessian, design @ (labels - share))
        enough = 1e-10 * (1 + np.abs(solution).max())
        while np.abs(step).max() > enough and loss(solution + step) > loss(solution):
            step /= 2
        solution += step
        if np.abs(step).max() <= enough:
            slope = solution[0] / spread
            return float(slope), float(solution[1] - slope * mean)
    return None, None


@dataclass(frozen=True, slots=True)
class Platt:
    """Calibrated logit = slope * logit + intercept."""

    slope: float = 1.0
    intercept: float = 0.0

    def logit(self, logit: Float[Array, "window"]) -> Float64[Array, "window"]:
        """Logarithm of the odds of AF, calibrated."""
        found: Float64[Array, "window"] = self.slope * logit.astype(np.float64) + self.intercept
        return found

    def probability(self, logit: Float[Array, "window"]) -> Float64[Array, "window"]:
        """Probability of AF where AF and its absence are equally common."""
        found: Float64[Array, "window"] = 0.5 * (1.0 + np.tanh(0.5 * self.logit(logit)))
        return found


def fit_platt(
    logit: Float[Array, "window"],
    labels: Int[Array, "label"],  # axes named apart: that they are as long is checked below
) -> Platt:
    """Logistic regression of labels on logits, both rhythms with the same total weight.

    So the probability does not depend on the share of AF in the cohort.
    """
    if logit.shape != labels.shape or not np.isfinite(logit).all():
        raise EvaluationError(
            f"{logit.size} logits and {labels.size} labels; give a finite logit for each label"
        )
    af = labels == Rhythm.AF
    if not af.any() or af.all():
        raise EvaluationError("windows of one rhythm alone; calibrate on windows of both")
    if logit[af].min() >= logit[~af].max():  # no slope is steep enough
        raise EvaluationError(IMPOSSIBLE)
    weight = np.where(af, 0.5 / af.sum(), 0.5 / (~af).sum())
    # On a unit scale Newton's steps hardly need damping.
    centre, unit = float(np.average(logit, weights=weight)), float(logit.std()) or 1.0
    x = np.stack([(logit - centre) / unit, np.ones(logit.size)], axis=1)
    found = np.zeros(2)
    for _ in range(STEPS):
        probability = 0.5 * (1.0 + np.tanh(0.5 * (x @ found)))
        slope = x.T @ (weight * (probability - af))
        if np.abs(slope).max() < TOLERANCE:
            if found[0] <= 0:
                break
            return Platt(float(found[0] / unit), float(found[1] - found[0] * centre / unit))
        bend = (x * (weight * probability * (1 - probability))[:, None]).T @ x
        step = np.linalg.solve(bend + 1e-12 * np.eye(2), slope)
        found -= step / max(1.0, float(np.abs(step).max()))
    raise EvaluationError(IMPOSSIBLE)

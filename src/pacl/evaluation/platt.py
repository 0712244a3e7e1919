"""From a probe's logit to a probability that can be taken at its word (Platt scaling).

Fitted on logits of patients the probe has not seen: on those it learned from, it is too sure.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.errors import EvaluationError
from pacl.records import Rhythm

STEPS = 100
TOLERANCE = 1e-10
IMPOSSIBLE = (
    "a threshold parts the rhythms without error, or higher logits are no likelier AF; "
    "calibrate on more patients"
)


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
    """Logistic regression of labels on logits, both rhythms weighing the same in all.

    Because of that the probability does not depend on how much AF the cohort happened to have.
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
    # On a unit scale Newton's steps need no damping to speak of.
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

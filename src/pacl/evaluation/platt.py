"""Platt scaling of the logits of two classes.

It is fitted on logits of unseen subjects: on the training subjects, logits are too confident.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.errors import EvaluationError

STEPS = 100
TOLERANCE = 1e-10
IMPOSSIBLE = (
    "a threshold separates the classes without error, or higher logits are no likelier the second "
    "class; calibrate on more subjects"
)


@dataclass(frozen=True, slots=True)
class Platt:
    """Calibrated logit = slope * logit + intercept."""

    slope: float = 1.0
    intercept: float = 0.0

    def logit(self, logit: Float[Array, "window"]) -> Float64[Array, "window"]:
        """Logarithm of the odds of the second class, calibrated."""
        found: Float64[Array, "window"] = self.slope * logit.astype(np.float64) + self.intercept
        return found

    def probability(self, logit: Float[Array, "window"]) -> Float64[Array, "window"]:
        """Probability of the second class where both classes are equally common."""
        found: Float64[Array, "window"] = 0.5 * (1.0 + np.tanh(0.5 * self.logit(logit)))
        return found


def fit_platt(
    logit: Float[Array, "window"],
    labels: Int[Array, "label"],  # axes named apart: that they are as long is checked below
) -> Platt:
    """Logistic regression of labels on logits, both classes with the same total weight.

    So the probability does not depend on how common the second class is in the cohort.
    """
    if logit.shape != labels.shape or not np.isfinite(logit).all():
        raise EvaluationError(
            f"{logit.size} logits and {labels.size} labels; give a finite logit for each label"
        )
    second = labels == 1
    if not second.any() or second.all():
        raise EvaluationError("windows of one class alone; calibrate on windows of both")
    if logit[second].min() >= logit[~second].max():  # no slope is steep enough
        raise EvaluationError(IMPOSSIBLE)
    weight = np.where(second, 0.5 / second.sum(), 0.5 / (~second).sum())
    # On a unit scale Newton's steps hardly need damping.
    centre, unit = float(np.average(logit, weights=weight)), float(logit.std()) or 1.0
    x = np.stack([(logit - centre) / unit, np.ones(logit.size)], axis=1)
    found = np.zeros(2)
    for _ in range(STEPS):
        probability = 0.5 * (1.0 + np.tanh(0.5 * (x @ found)))
        slope = x.T @ (weight * (probability - second))
        if np.abs(slope).max() < TOLERANCE:
            if found[0] <= 0:
                break
            return Platt(float(found[0] / unit), float(found[1] - found[0] * centre / unit))
        bend = (x * (weight * probability * (1 - probability))[:, None]).T @ x
        step = np.linalg.solve(bend + 1e-12 * np.eye(2), slope)
        found -= step / max(1.0, float(np.abs(step).max()))
    raise EvaluationError(IMPOSSIBLE)

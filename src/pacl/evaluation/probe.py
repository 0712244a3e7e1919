"""The frozen linear probe: logistic regression on pooled embeddings (2.4, 3).

`ProbeScore`, the score of early stopping, is fitted on training windows and measured on others.
"""

import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.embed import embed_tensors
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.metrics import measure_auroc
from pacl.models import Network
from pacl.records import Rhythm
from pacl.training import LabelledWindows

MAX_ITERATIONS = 5000
TOLERANCE = 1e-8
"""Largest slope of the mean loss at the optimum. scikit-learn's own 1e-4 leaves probabilities off
by several hundredths."""


@dataclass(frozen=True, eq=False, slots=True)
class Probe:
    """A direction on the sphere of pooled embeddings, and where along it AF begins.

    Parameters
    ----------
    weight
        Of each pooled feature, in the logarithm of the odds of AF.
    bias
        Logarithm of the odds where all features are zero.

    Examples
    --------
    >>> probe = Probe(np.array([2.0, 0.0]), -1.0)
    >>> probe.logit(np.array([[1.0, 0.0], [0.5, 3.0]]))
    array([1., 0.])
    >>> probe.probability(np.array([[0.5, 3.0]]))
    array([0.5])
    """

    weight: Float64[Array, "feature"]
    bias: float

    def logit(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "window"]:
        """Logarithm of the odds of AF."""
        if pooled.shape[1] != self.weight.size:
            raise EvaluationError(
                f"windows have {pooled.shape[1]} pooled features, the probe was fitted on "
                f"{self.weight.size}; embed them with the encoder the probe belongs to"
            )
        found: Float64[Array, "window"] = _finite(pooled) @ self.weight + self.bias
        return found

    def probability(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "window"]:
        """Probability of AF."""
        logit = self.logit(pooled)
        small = np.exp(-np.abs(logit))  # of a negative number, so that nothing overflows
        found: Float64[Array, "window"] = np.where(logit >= 0, 1.0, small) / (1.0 + small)
        return found

    def to_dict(self) -> dict[str, float | list[float]]:
        """Plain numbers for JSON, which gives them back to the last bit."""
        return {"weight": self.weight.tolist(), "bias": float(self.bias)}

    @classmethod
    def from_dict(cls, stated: object) -> "Probe":
        """Read what `to_dict` wrote."""
        if not isinstance(stated, Mapping) or set(stated) != {"weight", "bias"}:
            came = ", ".join(map(str, stated)) if isinstance(stated, Mapping) else repr(stated)
            raise EvaluationError(f"a probe has weight and bias, came: {came or 'nothing'}")
        weight = stated["weight"]
        if not isinstance(weight, list) or not weight:
            raise EvaluationError(
                f"weight of the probe is {weight!r}, expected a number for each feature"
            )
        for at, value in enumerate(weight):
            _check_number(f"weight[{at}]", value)
        _check_number("bias", stated["bias"])
        return cls(np.array(weight, dtype=np.float64), float(stated["bias"]))


def fit_probe(
    pooled: Float[Array, "window feature"], labels: Int[Array, "window"], *, c: float = 1.0
) -> Probe:
    """Fit the probe to windows it may learn from; the encoder is not touched.

    Parameters
    ----------
    pooled
        Pooled embeddings, z-hat; converted to float64 once.
    labels
        0 for SR, 1 for AF.
    c
        Inverse strength of the penalty on the weights; scikit-learn's default.
    """
    from scipy.linalg import LinAlgWarning
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    if len(pooled) != len(labels):
        raise EvaluationError(
            f"{len(pooled)} pooled windows, {len(labels)} labels; give each window its label"
        )
    if not 0 < c < math.inf:
        raise EvaluationError(f"c = {c}; give a finite number above 0")
    if (kinds := np.unique(labels).tolist()) != [Rhythm.SR, Rhythm.AF]:
        raise EvaluationError(
            f"training windows have the labels {kinds}, the probe needs both 0 (SR) and 1 (AF) "
            "and no other; add windows of the rhythm that is missing or leave the others out"
        )
    # With 128 features an exact Newton step costs no more than a few gradients: three to ten
    # times as fast as lbfgs at the same optimum.
    model = LogisticRegression(
        C=c, solver="newton-cholesky", tol=TOLERANCE, max_iter=MAX_ITERATIONS
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warnings.simplefilter("error", LinAlgWarning)
        try:
            model.fit(_finite(pooled), labels)
        except (ConvergenceWarning, LinAlgWarning) as warning:
            raise EvaluationError(
                f"the probe found no optimum within {MAX_ITERATIONS} iterations on {len(pooled)} "
                f"windows with c = {c} ({str(warning).splitlines()[0]}); lower c"
            ) from warning
    return Probe(model.coef_[0].astype(np.float64), float(model.intercept_[0]))


def _finite(pooled: Float[Array, "window feature"]) -> Float64[Array, "window feature"]:
    """The same in float64; refuses numbers that are not finite."""
    wrong = np.flatnonzero(~np.isfinite(pooled).all(axis=1))
    if wrong.size:
        raise EvaluationError(
            f"{wrong.size} of {len(pooled)} windows have pooled features that are not finite, "
            f"the first is window {wrong[0]}; the encoder has diverged or was given such beats"
        )
    return pooled.astype(np.float64)


def _check_number(name: str, value: object) -> None:
    largest = sys.float_info.max  # NaN is not below it, nor is an integer that no float can hold
    number = isinstance(value, int | float) and -largest <= value <= largest
    if not number or isinstance(value, bool):
        raise EvaluationError(f"{name} of the probe is {value!r}, expected a finite number")


class ProbeScore:
    """AUROC over the validation windows of a probe on the training windows' embeddings.

    It holds these two sets and no other, so that nothing can be chosen by the test subjects.
    """

    def __init__(self, train: LabelledWindows, validation: LabelledWindows) -> None:
        self.train, self.validation = train, validation

    def __call__(self, encoder: Network) -> float:
        """Embed, fit, measure."""
        known, unseen = (
            embed_tensors(encoder, windows.tensors)[0].cpu().numpy()
            for windows in (self.train, self.validation)
        )
        probe = fit_probe(known, self.train.labels.cpu().numpy())
        return measure_auroc(self.validation.labels.cpu().numpy(), probe.logit(unseen))

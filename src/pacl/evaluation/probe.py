"""The frozen linear probe: logistic regression on pooled embeddings (2.4, 3).

`ProbeScore`, the score of early stopping, is fitted on training windows, all or a sample, and
measured on others.
"""

import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.auroc import measure_auroc
from pacl.evaluation.embed import embed_tensors
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.sample import sample_windows
from pacl.models import Network
from pacl.training import LabelledWindows

MAX_ITERATIONS = 5000
TOLERANCE = 1e-8
"""Largest slope of the mean loss at the optimum. scikit-learn's own 1e-4 leaves probabilities off
by several hundredths."""


@dataclass(frozen=True, eq=False, slots=True)
class Probe:
    """Directions on the sphere of pooled embeddings: one for two classes, else one per class.

    Parameters
    ----------
    weight
        Of each pooled feature, in the logarithm of the odds of the second of two classes. With
        more classes, a row for each.
    bias
        Logarithm of the odds where all features are zero; one for each of more than two classes.

    Examples
    --------
    >>> probe = Probe(np.array([2.0, 0.0]), -1.0)
    >>> probe.logit(np.array([[1.0, 0.0], [0.5, 3.0]]))
    array([1., 0.])
    >>> probe.probability(np.array([[0.5, 3.0]]))
    array([0.5])
    >>> three = Probe(np.zeros((3, 2)), np.log([2.0, 1.0, 1.0]))
    >>> three.probability(np.array([[1.0, 0.0]]))
    array([[0.5 , 0.25, 0.25]])
    """

    weight: Float64[Array, "*class feature"]
    bias: float | Float64[Array, "class"]

    def __post_init__(self) -> None:
        if np.shape(self.bias) != self.weight.shape[:-1] or self.classes < 2:
            raise EvaluationError(
                f"a probe with weights of shape {self.weight.shape} and biases of shape "
                f"{np.shape(self.bias)}; give a weight for each feature and one bias, or both for "
                "each of more than two classes"
            )

    @property
    def classes(self) -> int:
        """How many classes it tells apart."""
        return 2 if self.weight.ndim == 1 else len(self.weight)

    @property
    def features(self) -> int:
        """How many pooled features it reads."""
        return int(self.weight.shape[-1])

    def of_two_classes(self) -> "tuple[Float64[Array, 'feature'], float]":
        """Weight and bias of the second of two classes; refuses a probe of more."""
        if self.weight.ndim != 1:
            raise EvaluationError(
                f"a probe of {self.classes} classes, expected one of two; train and probe on "
                "windows of two classes"
            )
        return self.weight, float(self.bias)

    def logit(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "window *class"]:
        """Logarithm of the odds of the second of two classes; else a logit for each class."""
        if pooled.shape[1] != self.features:
            raise EvaluationError(
                f"windows have {pooled.shape[1]} pooled features, the probe was fitted on "
                f"{self.features}; embed them with the encoder the probe belongs to"
            )
        found: Float64[Array, "window *class"] = _finite(pooled) @ self.weight.T + self.bias
        return found

    def probability(
        self, pooled: Float[Array, "window feature"]
    ) -> Float64[Array, "window *class"]:
        """Probability of the second of two classes; else of each class."""
        return probability_of(self.logit(pooled))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON, which gives them back to the last bit."""
        return {"weight": self.weight.tolist(), "bias": np.asarray(self.bias).tolist()}

    @classmethod
    def from_dict(cls, stated: object) -> "Probe":
        """Read what `to_dict` wrote."""
        if not isinstance(stated, Mapping) or set(stated) != {"weight", "bias"}:
            came = ", ".join(map(str, stated)) if isinstance(stated, Mapping) else repr(stated)
            raise EvaluationError(f"a probe has weight and bias, came: {came or 'nothing'}")
        weight, bias = stated["weight"], stated["bias"]
        if not isinstance(bias, list):
            _check_row("weight", weight)
            _check_number("bias", bias)
            return cls(np.array(weight, dtype=np.float64), float(bias))
        _check_row("bias", bias)
        if not isinstance(weight, list) or len(weight) != len(bias):
            raise EvaluationError(
                f"weight of the probe is {_cut(weight)}, expected a list of numbers for each of "
                f"{len(bias)} classes"
            )
        for at, row in enumerate(weight):
            _check_row(f"weight[{at}]", row)
            if len(row) != len(weight[0]):
                raise EvaluationError(
                    f"weight[{at}] of the probe has {len(row)} numbers, weight[0] has "
                    f"{len(weight[0])}; expected a number for each feature"
                )
        return cls(np.array(weight, dtype=np.float64), np.array(bias, dtype=np.float64))


def probability_of(logit: Float64[Array, "window *class"]) -> Float64[Array, "window *class"]:
    """Probability of the second of two classes from its logit; else of each class."""
    if logit.ndim == 1:
        small = np.exp(-np.abs(logit))  # of a negative number, so that nothing overflows
        found: Float64[Array, "window"] = np.where(logit >= 0, 1.0, small) / (1.0 + small)
        return found
    likely = np.exp(logit - logit.max(axis=1, keepdims=True))
    each: Float64[Array, "window class"] = likely / likely.sum(axis=1, keepdims=True)
    return each


def fit_probe(
    pooled: Float[Array, "window feature"], labels: Int[Array, "window"], *, c: float = 1.0
) -> Probe:
    """Fit the probe to windows it may learn from; the encoder is not touched.

    Parameters
    ----------
    pooled
        Pooled embeddings, z-hat; converted to float64 once.
    labels
        Number of each window's class: 0, 1, ... without a gap. Of two classes, the second is the
        one to detect; more are fitted at once (multinomial).
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
    kinds = np.unique(labels).tolist()
    if len(kinds) < 2 or kinds != list(range(len(kinds))):
        raise EvaluationError(
            f"training windows have the labels {kinds}, the probe needs windows of each class 0, "
            f"1, ... {max(1, *kinds) if kinds else 1} and no other; add windows of the class that "
            "is missing or leave the others out"
        )
    # With 128 features of two classes an exact Newton step costs no more than a few gradients:
    # three to ten times as fast as lbfgs at the same optimum. Eight classes have 64 times as many
    # second derivatives: there newton-cg, which needs none, is four times as fast.
    solver = "newton-cholesky" if len(kinds) == 2 else "newton-cg"
    model = LogisticRegression(C=c, solver=solver, tol=TOLERANCE, max_iter=MAX_ITERATIONS)
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
    weight, bias = model.coef_.astype(np.float64), model.intercept_.astype(np.float64)
    return Probe(weight[0], float(bias[0])) if len(kinds) == 2 else Probe(weight, bias)


def _finite(pooled: Float[Array, "window feature"]) -> Float64[Array, "window feature"]:
    """The same in float64; refuses numbers that are not finite."""
    wrong = np.flatnonzero(~np.isfinite(pooled).all(axis=1))
    if wrong.size:
        raise EvaluationError(
            f"{wrong.size} of {len(pooled)} windows have pooled features that are not finite, "
            f"the first is window {wrong[0]}; the encoder has diverged or was given such windows"
        )
    return pooled.astype(np.float64)


def _check_row(name: str, row: object) -> None:
    if not isinstance(row, list) or not row:
        raise EvaluationError(f"{name} of the probe is {_cut(row)}, expected a list of numbers")
    for at, value in enumerate(row):
        _check_number(f"{name}[{at}]", value)


def _cut(value: object) -> str:
    return repr(value)[:60]


def _check_number(name: str, value: object) -> None:
    largest = sys.float_info.max  # NaN is not below it, nor is an integer that no float can hold
    number = isinstance(value, int | float) and -largest <= value <= largest
    if not number or isinstance(value, bool):
        raise EvaluationError(f"{name} of the probe is {value!r}, expected a finite number")


class ProbeScore:
    """AUROC over the validation windows of a probe on the training windows' embeddings.

    With more than two classes, the mean of each class against all others. It holds these two sets
    and no other, so that nothing can be chosen by the test subjects.

    Parameters
    ----------
    train, validation
        Windows that the probe is fitted on, and those that it is measured on.
    most
        Fit it on a sample of at most so many training windows (`sample_windows`); 0 for all. The
        penalty weighs as much against the sample as it would against all windows (`c`): as a sum
        over fewer windows, the loss would give way to it, and the score would fall.
    """

    def __init__(self, train: LabelledWindows, validation: LabelledWindows, most: int = 0) -> None:
        self.train = sample_windows(train, most) if most else train
        self.validation = validation
        self.c = len(train) / len(self.train)

    def __call__(self, encoder: Network) -> float:
        """Embed, fit, measure."""
        known, unseen = (
            embed_tensors(encoder, windows.tensors)[0].cpu().numpy()
            for windows in (self.train, self.validation)
        )
        return self.of_embedded(known, unseen)

    def of_embedded(
        self, known: Float[Array, "window feature"], unseen: Float[Array, "other feature"]
    ) -> float:
        """The score of pooled embeddings of the training and the validation windows."""
        probe = fit_probe(known, self.train.labels.cpu().numpy(), c=self.c)
        score = probe.logit(unseen)
        return measure_auroc(
            self.validation.labels.cpu().numpy(),
            score if score.ndim == 1 else probability_of(score),
        )

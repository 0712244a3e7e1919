"""Calibration: how probabilities agree with what came true."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int, Int64
from pacl.evaluation.classes import check_labels, named_classes, of_two
from pacl.evaluation.errors import EvaluationError

BINS = 10
CERTAIN = 1e-12
"""Least distance of a probability from 0 and 1 where odds are needed."""
STEPS = 100
UNCERTAIN = 1e12
"""Condition number from which on slope and intercept are rounding errors."""
UNITY = 1e-3
"""How far from 1 the probabilities of a window's classes may add up; float32 stays within it."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Windows with a probability from `low` up to, but (unless it is 1) not including, `high`.

    `share` are those that are of the second of two classes. With more classes, the probability is
    that of the likeliest class, and `share` are those that are of it. An empty bin has neither mean
    nor share.
    """

    low: float
    high: float
    windows: int
    mean_probability: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well probabilities agree with what came true.

    Parameters
    ----------
    brier
        Mean squared distance of probability and label. With more than two classes, summed over
        the classes.
    expected_error
        Mean distance of `mean_probability` and `share` over the bins, weighted by windows
        (expected calibration error).
    slope, intercept
        Of the logistic regression of two classes' labels on the logit: 1 and 0 if calibrated, a
        slope below 1 where probabilities are too extreme. None where one class is missing or a
        threshold separates the classes (nearly) without error: the slope would be infinite.
    bins
        Of equal width, from 0 to 1.
    log_loss
        Mean negative logarithm of the probability of the true class; None in evaluations of
        earlier versions.
    """

    brier: float
    expected_error: float
    slope: float | None
    intercept: float | None
    bins: tuple[ReliabilityBin, ...]
    log_loss: float | None = None


def measure_calibration(
    labels: Int[Array, "label"], probability: Float[Array, "window *class"], *, bins: int = BINS
) -> Calibration:
    """Compare probabilities with labels.

    `probability` is that of class 1 where there are two classes, of each class where there are
    more.
    """
    probability = of_two(probability)
    check_predictions(labels, probability)
    if bins < 1:
        raise EvaluationError(f"{bins} bins; give at least one")
    probability = probability.astype(np.float64)
    if probability.ndim == 1:
        stated, true = probability, labels
        brier = float(np.mean((probability - labels) ** 2))
        of_label = np.where(labels == 1, probability, 1 - probability)
        slope, intercept = _recalibrate(labels, probability)
    else:
        stated = probability.max(axis=1)
        true = (probability.argmax(axis=1) == labels).astype(np.int64)
        each = probability - np.eye(probability.shape[1])[labels]
        brier = float(np.mean((each**2).sum(axis=1)))
        of_label = probability[np.arange(labels.size), labels]
        slope, intercept = None, None
    edges = np.linspace(0.0, 1.0, bins + 1)
    inside = bin_of(stated, bins)
    windows = np.bincount(inside, minlength=bins)
    expected = np.bincount(inside, stated, minlength=bins)
    came_true = np.bincount(inside, true, minlength=bins)
    return Calibration(
        brier=brier,
        expected_error=float(np.abs(expected - came_true).sum() / labels.size),
        slope=slope,
        intercept=intercept,
        bins=tuple(
            ReliabilityBin(
                low=float(edges[at]),
                high=float(edges[at + 1]),
                windows=int(count),
                mean_probability=float(expected[at] / count) if count else None,
                share=float(came_true[at] / count) if count else None,
            )
            for at, count in enumerate(windows)
        ),
        log_loss=float(-np.log(np.maximum(of_label, CERTAIN)).mean()),
    )


def bin_of(probability: Float64[Array, "window"], bins: int = BINS) -> Int64[Array, "window"]:
    """The bin of each probability, counted from 0; bins are of equal width."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    return np.searchsorted(edges[1:-1], probability, side="right")


def check_predictions(
    labels: Int[Array, "label"],
    probability: Float[Array, "window *class"],
    names: Sequence[str] | None = None,
) -> None:
    """Refuse labels of no class, and anything but a probability for each."""
    if labels.size != len(probability):
        raise EvaluationError(
            f"{labels.size} labels, {len(probability)} probabilities; give each window both"
        )
    if not labels.size:
        raise EvaluationError("no windows; there is nothing to measure")
    classes = 2 if probability.ndim == 1 else probability.shape[1]
    check_labels(labels, named_classes(classes, names))
    right = (probability >= 0) & (probability <= 1)  # NaN is outside, too
    if (outside := np.flatnonzero(~right.reshape(labels.size, -1).all(axis=1))).size:
        raise EvaluationError(
            f"{outside.size} of {labels.size} probabilities are not in [0, 1], the first is window "
            f"{outside[0]} with {probability[outside[0]]}; give probabilities, not logits"
        )
    if probability.ndim == 2:
        total = probability.sum(axis=1)
        if (apart := np.flatnonzero(np.abs(total - 1) > UNITY)).size:
            raise EvaluationError(
                f"probabilities of {apart.size} of {labels.size} windows do not add up to 1, the "
                f"first is window {apart[0]} with {total[apart[0]]:.6g}; give one for each class"
            )


def _recalibrate(
    labels: Int[Array, "window"], probability: Float64[Array, "window"]
) -> tuple[float, float] | tuple[None, None]:
    """Slope and intercept by Newton's method, each step halved until the loss falls."""
    certain = np.clip(probability, CERTAIN, 1 - CERTAIN)
    logit = np.log(certain) - np.log1p(-certain)
    low, high = logit[labels == 0], logit[labels == 1]
    if not low.size or not high.size or low.max() <= high.min() or high.max() <= low.min():
        return None, None
    # Standardised, the two parameters hardly depend on each other and the steps are sound.
    mean, spread = logit.mean(), logit.std()
    design = np.stack([(logit - mean) / spread, np.ones_like(logit)])
    away = np.where(labels == 1, -1.0, 1.0)

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

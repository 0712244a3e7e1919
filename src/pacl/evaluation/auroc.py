"""The area under the ROC curve: of two classes, or of each class against all others."""

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.auroc_pairs import check_scores
from pacl.evaluation.classes import check_several, named_classes, of_two
from pacl.evaluation.confusion import mean_of_known
from pacl.evaluation.errors import EvaluationError


def measure_auroc(labels: Int[Array, "window"], score: Float[Array, "window *class"]) -> float:
    """Share of pairs of windows of both classes in which the second class scores higher.

    A tie counts half. Pairs are counted as integers, so that only the division rounds. With a
    score for each of more than two classes it is the mean of `class_aurocs` (macro average).

    Examples
    --------
    >>> measure_auroc(np.array([0, 0, 1]), np.array([0.1, 0.6, 0.6]))
    0.75
    """
    score = of_two(score)
    if score.ndim == 2:
        check_several(labels, named_classes(score.shape[1]), "AUROC")
        return mean_of_known(class_aurocs(labels, score)) or 0.0
    check_scores(labels, score)
    low, high = np.sort(score[labels == 0]), np.sort(score[labels == 1])
    below = np.searchsorted(low, high, side="left").sum()
    below_or_tied = np.searchsorted(low, high, side="right").sum()
    return int(below + below_or_tied) / (2 * low.size * high.size)


def class_aurocs(
    labels: Int[Array, "window"], score: Float[Array, "window *class"]
) -> tuple[float | None, ...]:
    """AUROC of each class against all others; None where all windows or none are of it."""
    score = of_two(score)
    if score.ndim == 1:
        both = np.unique(labels).size == 2
        return (measure_auroc(labels, score) if both else None,) * 2
    return tuple(
        measure_auroc(own.astype(np.int64), score[:, at]) if own.any() and not own.all() else None
        for at, own in enumerate(labels == at for at in range(score.shape[1]))
    )


def roc_at(
    labels: Int[Array, "window"], score: Float64[Array, "window"], at: Float64[Array, "point"]
) -> Float64[Array, "point"]:
    """The highest recall of class 1 at each share of false alarms; ties come together."""
    low, high = (np.sort(score[labels == kind]) for kind in (0, 1))
    if not low.size or not high.size:
        raise EvaluationError(
            f"ROC of {low.size} windows of class 0 and {high.size} of class 1; it needs windows "
            "of both classes"
        )
    cuts = np.unique(score)[::-1]
    false = np.append(0.0, (low.size - np.searchsorted(low, cuts)) / low.size)
    true = np.append(0.0, (high.size - np.searchsorted(high, cuts)) / high.size)
    # The curve rises upright at some shares: take its upper end there, a straight line between.
    last = np.searchsorted(false, at, side="right") - 1
    following = np.minimum(last + 1, false.size - 1)
    run = false[following] - false[last]
    part = np.divide(at - false[last], run, out=np.zeros(at.size), where=run > 0)
    found: Float64[Array, "point"] = true[last] + part * (true[following] - true[last])
    return found

"""Scores that follow from sums over windows, as functions of the subjects who give the windows.

A confusion table is a sum over windows, and so is a squared error. Precision, recall, F1, accuracy,
the Brier score and the calibration error follow from such sums. Weighting subjects weights their
sums, which is all that an interval over subjects needs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isqrt
from operator import add

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation.calibration import BINS, bin_of
from pacl.evaluation.interval import Interval
from pacl.evaluation.intervals import LEVEL, interval_over_subjects
from pacl.evaluation.metrics import predicted_classes
from pacl.evaluation.paired import SubjectComparison, check_same_shape, compare_over_subjects
from pacl.evaluation.seed_comparison import flip_test
from pacl.evaluation.subject_groups import over


@dataclass(frozen=True, slots=True)
class SumScore:
    """A score from 0 to 1 that follows from sums over windows.

    Parameters
    ----------
    cells
        From labels and probabilities (see `measure_detection`) to what each window adds to each
        sum, [window, cell].
    score
        From sums [..., cell] to the score [...]; NaN where it has no value.
    """

    cells: Callable[[Array, Array], Array]
    score: Callable[[Array], Array]

    def by_subject(
        self,
        labels: Int64[Array, "window"],
        probability: Float64[Array, "window *class"],
        subjects: Int64[Array, "window"],
        count: int,
    ) -> Float64[Array, "subject cell"]:
        """The sums of each of `count` subjects."""
        cells = self.cells(labels, probability)
        columns = [np.bincount(subjects, column, minlength=count) for column in cells.T]
        return np.stack(columns, axis=1)


def sum_interval(seeds: Sequence[Float64[Array, "subject cell"]], score: SumScore) -> Interval:
    """Interval of a score, averaged over seeds where several are given.

    Subjects all of whose sums are 0, such as one without a class for its recall, do not count.
    """
    counting = np.any([sums.any(axis=1) for sums in seeds], axis=0)
    kept = [sums[counting] for sums in seeds]

    def mean(weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        return np.asarray(np.mean([score.score(weights @ sums) for sums in kept], axis=0))

    return interval_over_subjects(mean, int(counting.sum()), bounds=(0.0, 1.0))


def compare_sums(
    first: Float64[Array, "seed subject cell"],
    second: Float64[Array, "other_seed other_subject other_cell"],
    score: SumScore,
    generator: np.random.Generator | None = None,
    *,
    level: float = LEVEL,
) -> SubjectComparison:
    """Compare a score of two losses, given the sums of the same seeds and subjects.

    A flip swaps the two losses' windows of a subject, in all seeds. Subjects all of whose sums are
    0 do not count.
    """
    check_same_shape(first, second, "seeds, subjects and cells")
    counting = np.any([one.any(axis=(0, 2)) for one in (first, second)], axis=0)
    first, second, subjects = first[:, counting], second[:, counting], int(counting.sum())

    def of_seed(
        own: Float64[Array, "resample subject"], other: Float64[Array, "resample subject"]
    ) -> Float64[Array, "seed resample"]:
        """First less second, where `other` is the weight with which the losses are swapped."""
        one = score.score(own @ first + other @ second)
        return np.asarray(one - score.score(own @ second + other @ first))

    def difference(weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        return np.asarray(of_seed(weights, np.zeros_like(weights)).mean(axis=0))

    def flipped(signs: Float64[Array, "flip subject"]) -> Float64[Array, "flip"]:
        return np.asarray(of_seed((1 + signs) / 2, (1 - signs) / 2).mean(axis=0))

    all_once = np.ones((1, subjects))
    return compare_over_subjects(
        difference,
        of_seed=of_seed(all_once, 0 * all_once)[:, 0],
        of_subject=np.empty(0),
        subjects=subjects,
        flips=flip_test(flipped, subjects, generator),
        level=level,
    )


def _classes(probability: Array) -> int:
    return 2 if probability.ndim == 1 else int(probability.shape[1])


def _confusion(labels: Array, probability: Array) -> Array:
    """The cell of the confusion table: row by row, class by predicted class."""
    classes = _classes(probability)
    return np.asarray(np.eye(classes**2)[classes * labels + predicted_classes(probability)])


def _table(sums: Array) -> Array:
    """Sums of confusion tables as tables."""
    classes = isqrt(sums.shape[-1])
    return sums.reshape(*sums.shape[:-1], classes, classes)


def _squared_error(labels: Array, probability: Array) -> Array:
    if probability.ndim == 1:
        error = (probability - labels) ** 2
    else:
        error = ((probability - np.eye(_classes(probability))[labels]) ** 2).sum(axis=1)
    return np.stack([error, np.ones(labels.size)], axis=1)


def _bin_errors(labels: Array, probability: Array) -> Array:
    """What is expected less what was found in each bin, and the number of windows."""
    if probability.ndim == 1:
        stated, true = probability, labels
    else:
        stated, true = probability.max(axis=1), probability.argmax(axis=1) == labels
    errors = np.eye(BINS)[bin_of(stated)] * (stated - true)[:, None]
    return np.hstack([errors, np.ones((labels.size, 1))])


def _recall(at: int) -> SumScore:
    """Those found among the windows of one class."""

    def cells(labels: Array, probability: Array) -> Array:
        classes = _classes(probability)
        return _confusion(labels, probability)[:, classes * at :][:, :classes]

    return SumScore(cells, lambda sums: over(sums[..., at], sums.sum(axis=-1)))


def _precision(at: int) -> SumScore:
    """Those found among the windows predicted to be of one class."""

    def score(sums: Array) -> Array:
        table = _table(sums)
        return over(table[..., at, at], table[..., :, at].sum(axis=-1))

    return SumScore(_confusion, score)


def _f1_of(sums: Array, at: int) -> Array:
    """Twice those found, over these and all that were confused."""
    classes = isqrt(sums.shape[-1])
    found = 2 * sums[..., at * classes + at]
    confused = [
        sums[..., row * classes + column]
        for row in range(classes)
        for column in range(classes)
        if (row == at) != (column == at)
    ]
    return over(found, reduce(add, confused, found))


def _f1(at: int) -> SumScore:
    return SumScore(_confusion, lambda sums: _f1_of(sums, at))


def _macro_f1(sums: Array) -> Array:
    return _mean_known([_f1_of(sums, at) for at in range(isqrt(sums.shape[-1]))])


def _balanced_accuracy(sums: Array) -> Array:
    table = _table(sums)
    each = over(np.diagonal(table, axis1=-2, axis2=-1).copy(), table.sum(axis=-1))
    return _mean_known(list(np.moveaxis(each, -1, 0)))


def _mean_known(values: Sequence[Array]) -> Array:
    """Mean of the classes that have a value."""
    every = np.stack(values)
    valued = ~np.isnan(every)
    return over(np.where(valued, every, 0).sum(axis=0), valued.sum(axis=0))


_OF_CLASS: Mapping[str, Callable[[int], SumScore]] = {
    "precision": _precision,
    "recall": _recall,
    "f1": _f1,
}
_OF_ALL: Mapping[str, SumScore] = {
    "accuracy": SumScore(
        _confusion,
        lambda sums: over(
            np.diagonal(_table(sums), axis1=-2, axis2=-1).sum(axis=-1), sums.sum(axis=-1)
        ),
    ),
    "balanced_accuracy": SumScore(_confusion, _balanced_accuracy),
    "macro_f1": SumScore(_confusion, _macro_f1),
    "calibration.brier": SumScore(_squared_error, lambda sums: over(sums[..., 0], sums[..., 1])),
    "calibration.expected_error": SumScore(
        _bin_errors, lambda sums: over(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1])
    ),
}


def sum_score(key: str) -> SumScore | None:
    """How a number of `evaluation.json` follows from sums, by its dotted key; None if it does not.

    Examples
    --------
    >>> sum_score("detection.auroc") is None
    True
    >>> labels, probability = np.array([0, 1, 1]), np.array([0.2, 0.7, 0.4])
    >>> recall = sum_score("detection.classes.1.recall")
    >>> recall.score(recall.by_subject(labels, probability, np.zeros(3, int), 1))
    array([0.5])
    """
    of_class = re.fullmatch(r"detection\.classes\.(\d+)\.(\w+)", key)
    if of_class and of_class[2] in _OF_CLASS:
        return _OF_CLASS[of_class[2]](int(of_class[1]))
    return _OF_ALL.get(key.removeprefix("detection.")) if key.startswith("detection.") else None

"""Scores that follow from sums over windows, as functions of the subjects who give the windows.

A confusion table is a sum over windows, and so is a squared error. Precision, recall, F1, accuracy,
the Brier score and the calibration error follow from such sums. Weighting subjects weights their
sums, which is all that an interval over subjects needs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation.calibration import BINS, bin_of
from pacl.evaluation.interval import Interval
from pacl.evaluation.intervals import LEVEL, interval_over_subjects
from pacl.evaluation.metrics import THRESHOLD
from pacl.evaluation.paired import SubjectComparison, check_same_shape, compare_over_subjects
from pacl.evaluation.seed_comparison import flip_test
from pacl.evaluation.subject_groups import over


@dataclass(frozen=True, slots=True)
class SumScore:
    """A score from 0 to 1 that follows from sums over windows.

    Parameters
    ----------
    cells
        From labels and probabilities of AF to what each window adds to each sum, [window, cell].
    score
        From sums [..., cell] to the score [...]; NaN where it has no value.
    """

    cells: Callable[[Array, Array], Array]
    score: Callable[[Array], Array]

    def by_subject(
        self,
        labels: Int64[Array, "window"],
        probability: Float64[Array, "window"],
        subjects: Int64[Array, "window"],
        count: int,
    ) -> Float64[Array, "subject cell"]:
        """The sums of each of `count` subjects."""
        cells = self.cells(labels, probability)
        columns = [np.bincount(subjects, column, minlength=count) for column in cells.T]
        return np.stack(columns, axis=1)


def sum_interval(seeds: Sequence[Float64[Array, "subject cell"]], score: SumScore) -> Interval:
    """Interval of a score, averaged over seeds where several are given.

    Subjects all of whose sums are 0, such as one without AF for the recall of AF, do not count.
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


def _confusion(labels: Array, probability: Array) -> Array:
    """SR as SR, SR as AF, AF as SR, AF as AF."""
    return np.asarray(np.eye(4)[2 * labels + (probability >= THRESHOLD)])


def _squared_error(labels: Array, probability: Array) -> Array:
    return np.stack([(probability - labels) ** 2, np.ones(labels.size)], axis=1)


def _bin_errors(labels: Array, probability: Array) -> Array:
    """What is expected less what was found in each bin, and the number of windows."""
    errors = np.eye(BINS)[bin_of(probability)] * (probability - labels)[:, None]
    return np.hstack([errors, np.ones((labels.size, 1))])


def _recall(rhythm: int) -> SumScore:
    """Those found among the windows of one rhythm, 0 for SR and 1 for AF."""
    return SumScore(
        lambda labels, probability: _confusion(labels, probability)[:, 2 * rhythm :][:, :2],
        lambda sums: over(sums[..., rhythm], sums.sum(axis=-1)),
    )


def _precision(found: int, mistaken: int) -> SumScore:
    return SumScore(
        _confusion, lambda sums: over(sums[..., found], sums[..., found] + sums[..., mistaken])
    )


def _f1(found: int) -> SumScore:
    """Twice those found, over these and all that were confused."""
    return SumScore(
        _confusion,
        lambda sums: over(2 * sums[..., found], 2 * sums[..., found] + sums[..., 1] + sums[..., 2]),
    )


SUM_SCORES: Mapping[str, SumScore] = {
    "detection.sr.precision": _precision(0, 2),
    "detection.sr.recall": _recall(0),
    "detection.sr.f1": _f1(0),
    "detection.af.precision": _precision(3, 1),
    "detection.af.recall": _recall(1),
    "detection.af.f1": _f1(3),
    "detection.accuracy": SumScore(
        _confusion, lambda sums: over(sums[..., 0] + sums[..., 3], sums.sum(axis=-1))
    ),
    "detection.calibration.brier": SumScore(
        _squared_error, lambda sums: over(sums[..., 0], sums[..., 1])
    ),
    "detection.calibration.expected_error": SumScore(
        _bin_errors, lambda sums: over(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1])
    ),
}
"""By the dotted key of `evaluation.json`."""

"""Two losses compared on the same subjects and seeds, subject by subject or by pooled AUROC.

Intervals are over other subjects, and over other subjects and other seeds; the sign-flip test swaps
the losses within a subject. For seeds alone see `compare_seeds`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.classes import check_labels, check_several, named_classes
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import (
    Interval,
    Statistic,
    effective_freedom,
    spread_over_subjects,
    student_quantile,
    weighted_mean,
)
from pacl.evaluation.intervals import LEVEL, interval_over_subjects
from pacl.evaluation.ranks import ranks
from pacl.evaluation.seed_comparison import SignFlip, flip_test, share_better, sign_flip


@dataclass(frozen=True, slots=True)
class SubjectComparison:
    """First less second, averaged over seeds.

    Parameters
    ----------
    over_subjects
        The difference and its interval for other subjects and the same seeds (`effective`).
    over_both
        The same for other subjects and other seeds; None with one seed only.
    flips
        Sign-flip test over subjects.
    subjects_better, seeds_better
        Share of subjects (mean over seeds) and of seeds (all subjects) in which the first is
        higher, a tie counting half. None where no subject has their own value.
    """

    difference: float
    over_subjects: Interval
    over_both: Interval | None
    flips: SignFlip
    subjects_better: float | None
    seeds_better: float
    subjects: int
    seeds: int


def compare_subjects(
    first: Float64[Array, "seed subject"],
    second: Float64[Array, "other_seed other_subject"],
    generator: np.random.Generator | None = None,
    *,
    level: float = LEVEL,
) -> SubjectComparison:
    """Compare the mean over subjects of any value for each seed and subject.

    Parameters
    ----------
    first, second
        Of the same seeds and subjects, in the same order.
    generator
        To draw sign flips with, where there are more than 14 subjects.
    """
    check_same_shape(first, second, "seeds and subjects")
    differences = first - second
    if not np.isfinite(differences).all():
        seed, subject = (int(at) for at in np.argwhere(~np.isfinite(differences))[0])
        raise EvaluationError(
            f"seed {seed}, subject {subject} (counted from 0): no finite value in one of the "
            "losses; leave the subject or the seed out and report that"
        )
    of_subject = differences.mean(axis=0)
    return compare_over_subjects(
        weighted_mean(of_subject),
        of_seed=differences.mean(axis=1),
        of_subject=of_subject,
        subjects=of_subject.size,
        flips=sign_flip(of_subject, generator),
        level=level,
    )


def check_same_shape(first: Array, second: Array, axes: str) -> None:
    """Refuse values of two losses that cannot be paired."""
    if first.shape != second.shape or not first.size:
        raise EvaluationError(
            f"values of {first.shape} and of {second.shape} {axes}; give both losses' values of "
            f"the same {axes}"
        )


def compare_over_subjects(
    statistic: Statistic,
    *,
    of_seed: Float64[Array, "seed"],
    of_subject: Float64[Array, "own"],
    subjects: int,
    flips: SignFlip,
    level: float,
) -> SubjectComparison:
    """Compare by any number that is a function of subjects' weights.

    Parameters
    ----------
    statistic
        First less second, averaged over seeds.
    of_seed, of_subject
        First less second of each seed, and of each subject who has one.
    """
    over_subjects = interval_over_subjects(statistic, subjects, level=level)
    return SubjectComparison(
        difference=over_subjects.estimate,
        over_subjects=over_subjects,
        over_both=_over_both(statistic, of_seed, subjects, level) if of_seed.size > 1 else None,
        flips=flips,
        subjects_better=share_better(of_subject) if of_subject.size else None,
        seeds_better=share_better(of_seed),
        subjects=subjects,
        seeds=of_seed.size,
    )


def _over_both(
    statistic: Statistic, of_seed: Float64[Array, "seed"], subjects: int, level: float
) -> Interval:
    """Variances of both kinds added, degrees of freedom joined by Satterthwaite's rule.

    The effect of a seed on one subject is in both variances, so the interval is rather too wide.
    """
    spread = spread_over_subjects(statistic, subjects)
    deviations = spread.without - spread.without.mean()
    by_subjects = (subjects - 1) / subjects * float(np.sum(deviations**2))
    by_seeds = float(of_seed.var(ddof=1)) / of_seed.size
    together = by_subjects + by_seeds
    freedom = together**2 / (
        by_subjects**2 / effective_freedom(deviations) + by_seeds**2 / (of_seed.size - 1)
    )
    reach = student_quantile(freedom, level) * sqrt(together)
    return Interval(
        low=spread.estimate - reach,
        high=spread.estimate + reach,
        estimate=spread.estimate,
        method="effective",
        level=level,
        subjects=subjects,
    )


def compare_auroc(
    labels: Int[Array, "label"],
    first: Float[Array, "seed window *class"],
    second: Float[Array, "other_seed other_window *other_class"],
    subjects: Int[Array, "code"],
    generator: np.random.Generator | None = None,
    *,
    models: tuple[Int[Array, "model"], Int[Array, "other_model"]] | None = None,
    level: float = LEVEL,
) -> SubjectComparison:
    """Compare the pooled AUROC of two losses' scores of the same windows.

    Scores are those of class 1 where there are two classes, one for each class where there are
    more: then the AUROC is the mean of each class against all others.

    `models` is, for both losses, the model that scored each window, where there were several (such
    as folds): then only windows of one model are compared with each other.

    A flip swaps the two losses' scores of all windows of a subject, in all seeds. For that, scores
    are replaced by their ranks among the windows of a model, which does not change an AUROC: scores
    of two losses have no common scale.
    """
    check_same_shape(first, second, "seeds and windows")
    codes, subject = np.unique(subjects, return_inverse=True)
    count = len(codes)
    if not labels.size == subjects.size == first.shape[1]:
        raise EvaluationError(
            f"{labels.size} labels, {subjects.size} subjects, {first.shape[1]} scores; give each "
            "window all three"
        )
    one_model = np.zeros(labels.size, np.int64)
    of_first, of_second = (one_model, one_model) if models is None else models
    mixed = [
        [
            count_pairs(
                np.tile(own, 2),
                np.concatenate([_ranks(one, of_first), _ranks(other, of_second)]),
                np.concatenate([subject, subject + count]),
                models=None if models is None else np.concatenate(models),
            )
            for one, other in zip(scores, others, strict=True)
        ]
        for own, scores, others in _against_rest(labels, first, second)
    ]

    def of_seed(weights: Float64[Array, "resample both"]) -> Float64[Array, "seed resample"]:
        swapped = np.roll(weights, count, axis=1)
        each = [
            np.stack([pairs.pooled(weights) - pairs.pooled(swapped) for pairs in seeds])
            for seeds in mixed
        ]
        return each[0] if len(each) == 1 else np.asarray(np.mean(each, axis=0))

    def difference(weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        return np.asarray(of_seed(np.hstack([weights, np.zeros_like(weights)])).mean(axis=0))

    def flipped(signs: Float64[Array, "flip subject"]) -> Float64[Array, "flip"]:
        return np.asarray(of_seed(np.hstack([1 + signs, 1 - signs]) / 2).mean(axis=0))

    return compare_over_subjects(
        difference,
        of_seed=of_seed(np.repeat([[1.0, 0.0]], count, axis=1))[:, 0],
        of_subject=_own_differences(mixed, count),
        subjects=count,
        flips=flip_test(flipped, count, generator),
        level=level,
    )


def _ranks(score: Float[Array, "window"], models: Int[Array, "model"]) -> Float64[Array, "window"]:
    """Mean rank of each score among its model's, from 0 to 1; scores that are equal stay so."""
    if np.isnan(score).any():
        raise EvaluationError("scores that are NaN; look for a diverged training run")
    found = np.empty(score.size)
    for model in np.unique(models):
        rows = models == model
        found[rows] = (ranks(score[rows].astype(np.float64)) + 0.5) / np.count_nonzero(rows)
    return found


def _against_rest(
    labels: Int[Array, "label"],
    first: Float[Array, "seed window *class"],
    second: Float[Array, "other_seed other_window *class"],
) -> list[tuple[Array, Array, Array]]:
    """Labels and both scores of two classes; of more, those of each class against all others."""
    if first.ndim == 2:
        return [(labels, first, second)]
    if first.shape[2] == 2:
        return [(labels, first[:, :, 1], second[:, :, 1])]
    known = named_classes(first.shape[2])
    check_labels(labels, known)
    check_several(labels, known, "AUROC")
    return [
        ((labels == at).astype(np.int64), first[:, :, at], second[:, :, at])
        for at in np.unique(labels).tolist()
    ]


def _own_differences(mixed: Sequence[Sequence[AurocPairs]], subjects: int) -> Float64[Array, "own"]:
    """First less second of subjects with their own AUROC, averaged over seeds."""
    found = []
    for seeds in mixed:
        own = np.stack([pairs.own for pairs in seeds])
        found.append((own[:, :subjects] - own[:, subjects:]).mean(axis=0))
    valued = ~np.isnan(found)
    return np.asarray(
        (np.where(valued, found, 0).sum(axis=0) / np.maximum(valued.sum(axis=0), 1))[
            valued.any(axis=0)
        ]
    )

"""Two losses compared on the same patients and seeds, patient by patient or by pooled AUROC.

Intervals are over other patients, and over other patients and other seeds; the sign-flip test swaps
the losses within a patient. For seeds alone see `compare_seeds`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import (
    Interval,
    Statistic,
    effective_freedom,
    spread_over_patients,
    student_quantile,
    weighted_mean,
)
from pacl.evaluation.intervals import LEVEL, interval_over_patients
from pacl.evaluation.ranks import ranks
from pacl.evaluation.seed_comparison import SignFlip, flip_test, share_better, sign_flip


@dataclass(frozen=True, slots=True)
class PatientComparison:
    """First less second, averaged over seeds.

    Parameters
    ----------
    over_patients
        The difference and its interval for other patients and the same seeds (`effective`).
    over_both
        The same for other patients and other seeds; None with one seed only.
    flips
        Sign-flip test over patients.
    patients_better, seeds_better
        Share of patients (mean over seeds) and of seeds (all patients) in which the first is
        higher, a tie counting half. None where no patient has their own value.
    """

    difference: float
    over_patients: Interval
    over_both: Interval | None
    flips: SignFlip
    patients_better: float | None
    seeds_better: float
    patients: int
    seeds: int


def compare_patients(
    first: Float64[Array, "seed patient"],
    second: Float64[Array, "other_seed other_patient"],
    generator: np.random.Generator | None = None,
    *,
    level: float = LEVEL,
) -> PatientComparison:
    """Compare the mean over patients of any value for each seed and patient.

    Parameters
    ----------
    first, second
        Of the same seeds and patients, in the same order.
    generator
        To draw sign flips with, where there are more than 14 patients.
    """
    check_same_shape(first, second, "seeds and patients")
    differences = first - second
    if not np.isfinite(differences).all():
        seed, patient = (int(at) for at in np.argwhere(~np.isfinite(differences))[0])
        raise EvaluationError(
            f"seed {seed}, patient {patient} (counted from 0): no finite value in one of the "
            "losses; leave the patient or the seed out and report that"
        )
    of_patient = differences.mean(axis=0)
    return compare_over_patients(
        weighted_mean(of_patient),
        of_seed=differences.mean(axis=1),
        of_patient=of_patient,
        patients=of_patient.size,
        flips=sign_flip(of_patient, generator),
        level=level,
    )


def check_same_shape(first: Array, second: Array, axes: str) -> None:
    """Refuse values of two losses that cannot be paired."""
    if first.shape != second.shape or not first.size:
        raise EvaluationError(
            f"values of {first.shape} and of {second.shape} {axes}; give both losses' values of "
            f"the same {axes}"
        )


def compare_over_patients(
    statistic: Statistic,
    *,
    of_seed: Float64[Array, "seed"],
    of_patient: Float64[Array, "own"],
    patients: int,
    flips: SignFlip,
    level: float,
) -> PatientComparison:
    """Compare by any number that is a function of patients' weights.

    Parameters
    ----------
    statistic
        First less second, averaged over seeds.
    of_seed, of_patient
        First less second of each seed, and of each patient who has one.
    """
    over_patients = interval_over_patients(statistic, patients, level=level)
    return PatientComparison(
        difference=over_patients.estimate,
        over_patients=over_patients,
        over_both=_over_both(statistic, of_seed, patients, level) if of_seed.size > 1 else None,
        flips=flips,
        patients_better=share_better(of_patient) if of_patient.size else None,
        seeds_better=share_better(of_seed),
        patients=patients,
        seeds=of_seed.size,
    )


def _over_both(
    statistic: Statistic, of_seed: Float64[Array, "seed"], patients: int, level: float
) -> Interval:
    """Variances of both kinds added, degrees of freedom joined by Satterthwaite's rule.

    The effect of a seed on one patient is in both variances, so the interval is rather too wide.
    """
    spread = spread_over_patients(statistic, patients)
    deviations = spread.without - spread.without.mean()
    by_patients = (patients - 1) / patients * float(np.sum(deviations**2))
    by_seeds = float(of_seed.var(ddof=1)) / of_seed.size
    together = by_patients + by_seeds
    freedom = together**2 / (
        by_patients**2 / effective_freedom(deviations) + by_seeds**2 / (of_seed.size - 1)
    )
    reach = student_quantile(freedom, level) * sqrt(together)
    return Interval(
        low=spread.estimate - reach,
        high=spread.estimate + reach,
        estimate=spread.estimate,
        method="effective",
        level=level,
        patients=patients,
    )


def compare_auroc(
    labels: Int[Array, "label"],
    first: Float[Array, "seed window"],
    second: Float[Array, "other_seed other_window"],
    patients: Int[Array, "code"],
    generator: np.random.Generator | None = None,
    *,
    models: tuple[Int[Array, "model"], Int[Array, "other_model"]] | None = None,
    level: float = LEVEL,
) -> PatientComparison:
    """Compare the pooled AUROC of two losses' scores of the same windows.

    `models` is, for both losses, the model that scored each window, where there were several (such
    as folds): then only windows of one model are compared with each other.

    A flip swaps the two losses' scores of all windows of a patient, in all seeds. For that, scores
    are replaced by their ranks among the windows of a model, which does not change an AUROC: scores
    of two losses have no common scale.
    """
    check_same_shape(first, second, "seeds and windows")
    codes, patient = np.unique(patients, return_inverse=True)
    count = len(codes)
    if not labels.size == patients.size == first.shape[1]:
        raise EvaluationError(
            f"{labels.size} labels, {patients.size} patients, {first.shape[1]} scores; give each "
            "window all three"
        )
    one_model = np.zeros(labels.size, np.int64)
    of_first, of_second = (one_model, one_model) if models is None else models
    mixed = [
        count_pairs(
            np.tile(labels, 2),
            np.concatenate([_ranks(one, of_first), _ranks(other, of_second)]),
            np.concatenate([patient, patient + count]),
            models=None if models is None else np.concatenate(models),
        )
        for one, other in zip(first, second, strict=True)
    ]

    def of_seed(weights: Float64[Array, "resample both"]) -> Float64[Array, "seed resample"]:
        swapped = np.roll(weights, count, axis=1)
        return np.stack([pairs.pooled(weights) - pairs.pooled(swapped) for pairs in mixed])

    def difference(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
        return np.asarray(of_seed(np.hstack([weights, np.zeros_like(weights)])).mean(axis=0))

    def flipped(signs: Float64[Array, "flip patient"]) -> Float64[Array, "flip"]:
        return np.asarray(of_seed(np.hstack([1 + signs, 1 - signs]) / 2).mean(axis=0))

    return compare_over_patients(
        difference,
        of_seed=of_seed(np.repeat([[1.0, 0.0]], count, axis=1))[:, 0],
        of_patient=_own_differences(mixed, count),
        patients=count,
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


def _own_differences(mixed: Sequence[AurocPairs], patients: int) -> Float64[Array, "own"]:
    """First less second of patients with their own AUROC, averaged over seeds."""
    both = mixed[0].both[:patients]
    own = np.stack([pairs.own for pairs in mixed])
    return np.asarray((own[:, :patients] - own[:, patients:]).mean(axis=0)[both])

"""Two losses compared on the same patients and seeds, patient by patient.

Whether a difference would be found again in other patients is asked of the patients: they are
resampled, and the sign-flip test swaps the losses within a patient. Whether it would be found again
with other seeds, too, takes the spread over seeds on top. Seeds alone: `compare_seeds`.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import Interval
from pacl.evaluation.interval_limits import effective_freedom, student_quantile
from pacl.evaluation.intervals import LEVEL, interval_over_patients
from pacl.evaluation.patient_spread import Statistic, spread_over_patients
from pacl.evaluation.seed_comparison import share_better
from pacl.evaluation.sign_flip import SignFlip, sign_flip


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
        higher, a tie counting half. None where no patient has a value of their own.
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
    if first.shape != second.shape or not first.size:
        raise EvaluationError(
            f"values of {first.shape} and of {second.shape} seeds and patients; give both losses' "
            "values of the same seeds and patients"
        )
    differences = first - second
    if not np.isfinite(differences).all():
        seed, patient = (int(at) for at in np.argwhere(~np.isfinite(differences))[0])
        raise EvaluationError(
            f"seed {seed}, patient {patient} (counted from 0): no finite value in one of the "
            "losses; leave the patient or the seed out and say so"
        )
    of_patient = differences.mean(axis=0)

    def mean(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
        return np.asarray(weights @ of_patient / weights.sum(axis=1))

    return compare_over_patients(
        mean,
        of_seed=differences.mean(axis=1),
        of_patient=of_patient,
        patients=of_patient.size,
        flips=sign_flip(of_patient, generator),
        level=level,
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
        First less second of each seed, and of each patient who has a value of their own.
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

    What a seed does to one patient in particular is in both variances, which errs towards too wide
    where patients' differences are about normal. Where one patient in many makes the difference,
    any interval made without that patient is too short.
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

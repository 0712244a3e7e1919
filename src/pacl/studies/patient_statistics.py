"""Intervals and paired comparisons of runs that were judged on the same patients (3)."""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation import (
    EvaluationError,
    Interval,
    PatientComparison,
    SeedComparison,
    auroc_interval,
    compare_auroc,
    compare_patients,
    compare_seeds,
    compare_sums,
    mean_interval,
    sum_interval,
)
from pacl.studies.measure import AUROC, PATIENT_AUROC, Measure
from pacl.studies.outcomes import Outcome


def interval_of(each: Sequence[Outcome], measure: Measure) -> Interval:
    """Interval over patients of a number, averaged over runs; refuses where there is none."""
    if measure is AUROC:
        return auroc_interval([one.predictions.pairs for one in each])
    if measure.sums is not None:
        return sum_interval([_sums(one, measure) for one in each], measure.sums)
    if measure.patient is None:
        raise EvaluationError(f"{measure.name} belongs to all patients together")
    values = np.asarray(_by_patient(each, measure).mean(axis=0))
    return mean_interval(
        values[np.isfinite(values)],
        bounds=measure.bounds,
        quantity="patient AUROC" if measure is PATIENT_AUROC else None,
    )


def compare_judged(
    first: Sequence[Outcome], second: Sequence[Outcome], measure: Measure
) -> PatientComparison | SeedComparison:
    """First less second, pair by pair: over patients where the number allows it, else over pairs.

    Both have as many runs, those in the same place with the same seed.
    """
    generator = np.random.default_rng(0)
    if measure is AUROC:
        shared = first[0].predictions
        one, other = (
            np.stack([run.predictions.probability for run in each]) for each in (first, second)
        )
        return compare_auroc(shared.labels, one, other, shared.patients, generator)
    if measure.sums is not None:
        one, other = (np.stack([_sums(run, measure) for run in each]) for each in (first, second))
        return compare_sums(one, other, measure.sums, generator)
    if measure.patient is not None:
        one, other = (_by_patient(each, measure) for each in (first, second))
        known = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
        return compare_patients(one[:, known], other[:, known], generator)
    one, other = (
        np.array([run.value(measure.key) for run in each], dtype=np.float64)
        for each in (first, second)
    )
    return compare_seeds(one, other)


def _sums(one: Outcome, measure: Measure) -> Float64[Array, "patient cell"]:
    found = one.predictions
    if measure.sums is None:
        raise EvaluationError(f"{measure.name} does not follow from sums over patients")
    return measure.sums.by_patient(
        found.labels, found.probability, found.patients, len(found.names)
    )


def _by_patient(each: Sequence[Outcome], measure: Measure) -> Float64[Array, "run patient"]:
    """A value of each run and patient; NaN where there is none."""
    if measure.patient is None:
        raise EvaluationError(f"{measure.name} is no mean over patients")
    names = each[0].predictions.names
    rows = [one.of_patients(*measure.patient) for one in each]
    return np.array([[row.get(name, np.nan) for name in names] for row in rows], dtype=np.float64)

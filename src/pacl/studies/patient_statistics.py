"""Intervals and paired comparisons of runs that were evaluated on the same patients (3)."""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation import (
    EvaluationError,
    Interval,
    SeedComparison,
    SpreadRatio,
    SubjectComparison,
    VarianceSplit,
    WorstSubject,
    auroc_interval,
    compare_auroc,
    compare_seeds,
    compare_subjects,
    compare_sums,
    mean_interval,
    split_variance,
    spread_ratio,
    sum_interval,
    worst_subjects,
)
from pacl.studies.metric import AUROC, PATIENT_AUROC, Metric
from pacl.studies.outcomes import Outcome, Outcomes


def interval_of(each: Sequence[Outcome], metric: Metric) -> Interval:
    """Interval over patients of a number, averaged over runs; refuses where there is none."""
    if metric == AUROC:
        return auroc_interval([one.predictions.class_pairs for one in each])
    if metric.sums is not None:
        return sum_interval([_sums(one, metric) for one in each], metric.sums)
    if metric.patient is None:
        raise EvaluationError(f"{metric.name} belongs to all patients together")
    values = np.asarray(_by_patient(each, metric).mean(axis=0))
    return mean_interval(
        values[np.isfinite(values)],
        bounds=metric.bounds,
        quantity="subject AUROC" if metric.key == PATIENT_AUROC.key else None,
    )


def compare_judged(
    first: Sequence[Outcome], second: Sequence[Outcome], metric: Metric
) -> SubjectComparison | SeedComparison:
    """First less second, pair by pair: over patients where the number allows it, else over pairs.

    Both have as many runs, those in the same place with the same seed.
    """
    generator = np.random.default_rng(0)
    if metric == AUROC:
        shared = first[0].predictions
        one, other = (
            np.stack([run.predictions.probability for run in each]) for each in (first, second)
        )
        return compare_auroc(shared.labels, one, other, shared.subjects, generator)
    if metric.sums is not None:
        one, other = (np.stack([_sums(run, metric) for run in each]) for each in (first, second))
        return compare_sums(one, other, metric.sums, generator)
    if metric.patient is not None:
        one, other = (_by_patient(each, metric) for each in (first, second))
        known = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
        return compare_subjects(one[:, known], other[:, known], generator)
    one, other = (
        np.array([run.value(metric.key) for run in each], dtype=np.float64)
        for each in (first, second)
    )
    return compare_seeds(one, other)


def loss_interval(outcomes: Outcomes, loss: str, metric: Metric) -> Interval:
    """Interval over patients of a loss, averaged over seeds; of geometry without collapsed runs."""
    each = [one for one in outcomes.of(loss) if not (metric.geometry and one.collapsed)]
    if not each:
        raise EvaluationError("embeddings collapsed with every seed")
    return interval_of(each, metric)


def auroc_variance(outcomes: Outcomes, loss: str) -> VarianceSplit:
    """Variance of patients' AUROC, split into patients, seeds and the rest."""
    values = outcomes.by_patient(loss, "detection", "auroc")
    return split_variance(values[:, np.isfinite(values).all(axis=0)])


def auroc_spread(outcomes: Outcomes, first: str, second: str) -> SpreadRatio:
    """Standard deviation of AUROC over seeds under the first loss, over that under the second."""
    values = [outcomes.values(loss, AUROC.key) for loss in (first, second)]
    return spread_ratio(*values, shared_seeds=True)


def lowest_patients(outcomes: Outcomes, loss: str, count: int = 5) -> tuple[WorstSubject, ...]:
    """Patients with the lowest AUROC, of those with several classes."""
    rows = outcomes.each[0].measured.detection.per_subject
    windows = {row.subject: row.windows for row in rows}
    values = outcomes.by_patient(loss, "detection", "auroc")
    known = np.asarray(np.isfinite(values).all(axis=0))
    names = [name for name, there in zip(outcomes.patients, known, strict=True) if there]
    if not names:
        return ()
    counts = np.array([windows[name] for name in names], dtype=np.int64)
    return worst_subjects(values[:, known], names, counts, count=count)


def _sums(one: Outcome, metric: Metric) -> Float64[Array, "patient cell"]:
    found = one.predictions
    if metric.sums is None:
        raise EvaluationError(f"{metric.name} does not follow from sums over patients")
    return metric.sums.by_subject(found.labels, found.probability, found.subjects, len(found.names))


def _by_patient(each: Sequence[Outcome], metric: Metric) -> Float64[Array, "run patient"]:
    """A value of each run and patient; NaN where there is none."""
    if metric.patient is None:
        raise EvaluationError(f"{metric.name} is no mean over patients")
    names = each[0].predictions.names
    rows = [one.of_patients(*metric.patient) for one in each]
    return np.array([[row.get(name, np.nan) for name in names] for row in rows], dtype=np.float64)

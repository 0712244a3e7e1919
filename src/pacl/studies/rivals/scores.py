"""Scores of systems: means over seeds, curves over labelled patients, ranks by patient."""

import math
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pacl.evaluation import LEAST_SUBJECTS, LEAST_SYSTEMS, Ranks, rank_systems
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import PooledRow, where


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over seeds and its standard deviation; NaN where there is no value."""

    mean: float
    sd: float

    @classmethod
    def of(cls, rows: Iterable[PooledRow], column: str) -> "Mean":
        """Mean of a column; NaN where a seed has no value."""
        known: list[float] = [getattr(row, column) for row in rows]
        if not known or any(math.isnan(value) for value in known):
            return cls(math.nan, math.nan)
        return cls(statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else math.nan)


@dataclass(frozen=True, eq=False, slots=True)
class Score:
    """AUROC of a system over all windows, its interval at 95 %, and the mean over patients.

    `rows` has one row per seed; limits are NaN where there is no interval.
    """

    method: str
    auroc: Mean
    low: float
    high: float
    patient_auroc: Mean
    rows: tuple[PooledRow, ...]

    def of(self, column: str) -> Mean:
        """Mean of another column."""
        return Mean.of(self.rows, column)

    @property
    def interval(self) -> str:
        """`0.9961 to 0.9994`, or nothing."""
        known = not (math.isnan(self.low) or math.isnan(self.high))
        return f"{self.low:.4f} to {self.high:.4f}" if known else ""


def scores_of(
    found: RivalsComparison, study: str, dataset: str, condition: str | None = None
) -> tuple[Score, ...]:
    """Scores of all systems, the highest AUROC first."""
    rows = where(found.pooled, study=study, dataset=dataset)
    if condition is not None:
        rows = where(rows, condition=condition)
    scores = []
    for method in found.named(rows):
        own = where(rows, method=method)
        low, high = (Mean.of(own, f"auroc_{end}").mean for end in ("low", "high"))
        mean, patient = Mean.of(own, "auroc"), Mean.of(own, "auroc_subject_mean")
        scores.append(Score(method, mean, low, high, patient, own))
    return tuple(sorted(scores, key=lambda score: _falling(score.auroc.mean)))


def _falling(value: float) -> float:
    """The highest first, NaN last."""
    return math.inf if math.isnan(value) else -value


@dataclass(frozen=True, slots=True)
class LabelCurve:
    """A system's AUROC for each number of labelled patients; NaN where it was not tried."""

    method: str
    auroc: tuple[Mean, ...]


@dataclass(frozen=True, slots=True)
class LabelCurves:
    """Conditions from few patients to all, and one curve per system."""

    conditions: tuple[str, ...]
    curves: tuple[LabelCurve, ...]


def label_curves(found: RivalsComparison, dataset: str) -> LabelCurves:
    """AUROC by the number of labelled patients, of all systems that learned from few."""
    conditions = sorted(found.conditions("labels", dataset), key=patients_in)
    scores = [
        {score.method: score.auroc for score in scores_of(found, "labels", dataset, condition)}
        for condition in conditions
    ]
    unknown = Mean(math.nan, math.nan)
    curves = []
    for method in found.methods:
        auroc = tuple(of_method.get(method, unknown) for of_method in scores)
        known = [patients_in(c) for c, a in zip(conditions, auroc, strict=True) if a is not unknown]
        if any(count < math.inf for count in known):
            curves.append(LabelCurve(method, auroc))
    return LabelCurves(tuple(conditions), tuple(curves))


def patients_in(condition: str) -> float:
    """4 for `4 patients`, infinity for all."""
    found = re.match(r"\d+", condition)
    return float(found.group()) if found else math.inf


def patient_ranks(found: RivalsComparison, dataset: str) -> Ranks | None:
    """Rank systems by the AUROC within each patient; None where there are too few of either."""
    rows = where(found.results, study="main", dataset=dataset)
    methods = found.named(rows)
    of_both: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        of_both.setdefault((row.patient, row.method), []).append(row.auroc)
    patients = sorted({row.patient for row in rows})
    values = np.array(
        [[np.mean(of_both.get((who, name), [math.nan])) for name in methods] for who in patients]
    ).reshape(len(patients), len(methods))
    values = values[np.isfinite(values).all(axis=1)]
    if len(methods) < LEAST_SYSTEMS or len(values) < LEAST_SUBJECTS:
        return None
    return rank_systems(values, methods)

"""Scores of systems over subjects with intervals, and their paired differences."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.evaluation import (
    SIGNIFICANCE,
    NoIntervalError,
    compare_subjects,
    holm,
    mean_interval,
)
from pacl.studies.systems.study import SystemsStudy

Verdict = Literal["above", "below", "open"]
BOUNDS = {"cohesion": (-1.0, 1.0), "centroid_similarity": (-1.0, 1.0)}
UNBOUNDED = ("centroid_distance", "compactness")
NAN = math.nan


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The mean over subjects of their mean over seeds, with its interval over subjects.

    Limits are NaN where there is no interval. `seed_sd` is the standard deviation over seeds of
    the mean over subjects, NaN with one seed. `subjects` have a value.
    """

    system: str
    mean: float
    low: float
    high: float
    seed_sd: float
    subjects: int


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """A system less a reference, on the same subjects and seeds.

    Parameters
    ----------
    estimate, low, high
        The difference, and its interval at 95 %: for other subjects and seeds where there are
        several seeds.
    p, corrected
        Of swapping the two within subjects; corrected for the number of systems (Holm 1979).
    better
        Share of the subjects for whom the system scores higher.
    """

    system: str
    reference: str
    estimate: float
    low: float
    high: float
    p: float
    corrected: float
    better: float

    @property
    def verdict(self) -> Verdict:
        """Conclusive only if the interval excludes 0 and the corrected p is small, too."""
        if not self.corrected < SIGNIFICANCE or not (self.low > 0 or self.high < 0):
            return "open"
        return "above" if self.estimate > 0 else "below"


def scores_of(study: SystemsStudy, measure: str) -> tuple[SystemScore, ...]:
    """Of each system that has the measure, in the order of the tables."""
    found = []
    for system in study.systems:
        values = study.values(system.name, measure)
        kept = np.isfinite(values).all(axis=0)
        if kept.any():
            found.append(_score(system.name, values[:, kept], system.seeds, measure))
    return tuple(found)


def differences_of(
    study: SystemsStudy, reference: str, measure: str
) -> tuple[SystemDifference, ...]:
    """Every other system less a reference, in the order of the tables."""
    others = [one.name for one in study.systems if one.name != reference]
    base = study.values(reference, measure)
    each = {name: study.values(name, measure) for name in others}
    kept: Bool[Array, "subject"] = np.isfinite([base, *each.values()]).all(axis=(0, 1))
    raw = [_less(values[:, kept], base[:, kept]) for values in each.values()]
    corrected = holm([one[3] for one in raw]) if raw else []
    return tuple(
        SystemDifference(name, reference, *one[:4], p, one[4])
        for name, one, p in zip(others, raw, corrected, strict=True)
    )


def _score(
    system: str, values: Float64[Array, "seed subject"], seeds: int, measure: str
) -> SystemScore:
    bounds = None if measure in UNBOUNDED else BOUNDS.get(measure, (0.0, 1.0))
    of_subject = values.mean(axis=0)
    try:
        interval = mean_interval(of_subject, bounds=bounds)
        low, high = interval.low, interval.high
    except NoIntervalError:
        low = high = NAN
    sd = float(values.mean(axis=1).std(ddof=1)) if seeds > 1 else NAN
    return SystemScore(system, float(of_subject.mean()), low, high, sd, of_subject.size)


def _less(
    first: Float64[Array, "seed subject"], second: Float64[Array, "seed subject"]
) -> tuple[float, float, float, float, float]:
    """The difference, its limits, p, and the share of subjects who are better."""
    apart = (first - second).mean(axis=0)
    better = float(np.mean((apart > 0) + 0.5 * (apart == 0))) if apart.size else NAN
    try:
        found = compare_subjects(first, second, np.random.default_rng(0))
    except NoIntervalError:
        return float(apart.mean()) if apart.size else NAN, NAN, NAN, NAN, better
    interval = found.over_both or found.over_subjects
    return found.difference, interval.low, interval.high, found.flips.p_value, better

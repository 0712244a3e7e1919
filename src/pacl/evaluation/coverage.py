"""Coverage of intervals over subjects, by method and number of subjects, and its simulation.

`COVERAGE` was found by `docs/figures/coverage.py`, which also writes `docs/statistics.md`.
Intervals are of nominal 95 %; the standard error of a share here is at most 1 %.

In the simulation a window's score is normal around its subject's mean for its class. Subjects
differ in a baseline that both classes share and in where their windows of each lie on top of it;
the number of windows is lognormal, and some subjects have one class only. Because all of this is
normal, the population's AUROC is known in closed form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal, TypeAlias

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation.auroc_pairs import count_pairs
from pacl.evaluation.interval import (
    LIMITS,
    Method,
    NoIntervalError,
    Statistic,
    spread_over_subjects,
    weighted_mean,
)

Quantity: TypeAlias = Literal["pooled AUROC", "subject AUROC"]
"""AUROC over all windows, or the mean of subjects' own AUROCs."""

LEVEL = 0.95
SUBJECTS = (6, 12, 24, 48)
REPLICATIONS = 2500
RESAMPLES = 1000
SEED = 2026

COVERAGE: Mapping[Quantity, Mapping[str, Mapping[str, tuple[float, ...]]]] = {
    "pooled AUROC": {
        "percentile": {
            "AUROC 0.99": (0.554, 0.682, 0.776, 0.826),
            "AUROC 0.95": (0.678, 0.769, 0.855, 0.891),
            "AUROC 0.99, one in 20 missed": (0.409, 0.529, 0.63, 0.706),
        },
        "bca": {
            "AUROC 0.99": (0.597, 0.735, 0.828, 0.866),
            "AUROC 0.95": (0.699, 0.799, 0.865, 0.9),
            "AUROC 0.99, one in 20 missed": (0.453, 0.594, 0.703, 0.774),
        },
        "logit": {
            "AUROC 0.99": (0.87, 0.876, 0.889, 0.904),
            "AUROC 0.95": (0.9, 0.901, 0.912, 0.929),
            "AUROC 0.99, one in 20 missed": (0.756, 0.755, 0.785, 0.808),
        },
        "effective": {
            "AUROC 0.99": (0.906, 0.936, 0.946, 0.952),
            "AUROC 0.95": (0.936, 0.952, 0.954, 0.96),
            "AUROC 0.99, one in 20 missed": (0.818, 0.844, 0.871, 0.891),
        },
    },
    "subject AUROC": {
        "percentile": {
            "AUROC 0.99": (0.548, 0.638, 0.725, 0.805),
            "AUROC 0.95": (0.653, 0.748, 0.829, 0.885),
            "AUROC 0.99, one in 20 missed": (0.271, 0.399, 0.556, 0.689),
        },
        "bca": {
            "AUROC 0.99": (0.585, 0.692, 0.779, 0.847),
            "AUROC 0.95": (0.689, 0.792, 0.866, 0.899),
            "AUROC 0.99, one in 20 missed": (0.294, 0.432, 0.596, 0.747),
        },
        "logit": {
            "AUROC 0.99": (0.849, 0.845, 0.86, 0.888),
            "AUROC 0.95": (0.887, 0.896, 0.91, 0.921),
            "AUROC 0.99, one in 20 missed": (0.65, 0.593, 0.682, 0.798),
        },
        "effective": {
            "AUROC 0.99": (0.877, 0.908, 0.939, 0.956),
            "AUROC 0.95": (0.909, 0.943, 0.958, 0.962),
            "AUROC 0.99, one in 20 missed": (0.701, 0.713, 0.781, 0.867),
        },
    },
}
"""Share of intervals that contain the true value, at `SUBJECTS`."""


def coverage_of(
    quantity: Quantity | None, method: str, level: float, subjects: int
) -> float | None:
    """The coverage of such an interval in simulation; None where that was not studied.

    The least over the populations studied, since it is not known which one a cohort is from.
    Between the numbers of subjects studied, coverage is interpolated on a log scale; for more it
    is that of the most studied, for fewer it is not known.
    """
    if quantity is None or level != LEVEL or subjects < SUBJECTS[0]:
        return None
    subjects = min(subjects, SUBJECTS[-1])
    populations = COVERAGE.get(quantity, {}).get(method)
    if populations is None:
        return None
    return min(_interpolate(shares, subjects) for shares in populations.values())


def _interpolate(shares: tuple[float, ...], subjects: int) -> float:
    after = next(at for at, size in enumerate(SUBJECTS) if subjects <= size)
    if SUBJECTS[after] == subjects:
        return shares[after]
    step = log(subjects / SUBJECTS[after - 1]) / log(SUBJECTS[after] / SUBJECTS[after - 1])
    return shares[after - 1] + step * (shares[after] - shares[after - 1])


@dataclass(frozen=True, slots=True)
class Population:
    """Simulated subjects; scores are in standard deviations of a subject's windows.

    Parameters
    ----------
    separation
        Of the mean scores of the two classes.
    baseline_sd, first_sd, second_sd
        Of subjects: in both classes alike, in the first, in the second, which is to be detected.
    missed_share, missed_by
        Share of subjects whose second class looks more like the first, and by how much.
    single_class
        Share of subjects with windows of one class only.
    windows_median, windows_log_sd
        Number of windows of a subject in a class.
    """

    name: str
    separation: float
    baseline_sd: float = 0.7
    first_sd: float = 0.5
    second_sd: float = 1.0
    missed_share: float = 0.0
    missed_by: float = 3.0
    single_class: float = 0.12
    windows_median: float = 150.0
    windows_log_sd: float = 0.8

    def truth(self, quantity: Quantity) -> float:
        """AUROC over all windows of infinitely many subjects, or the mean of their own AUROCs."""
        from scipy.special import ndtr

        variance = 2 + self.first_sd**2 + self.second_sd**2
        if quantity == "pooled AUROC":
            variance += 2 * self.baseline_sd**2
        usual, missed = ndtr(
            np.array([self.separation, self.separation - self.missed_by]) / sqrt(variance)
        )
        return float((1 - self.missed_share) * usual + self.missed_share * missed)

    def draw(
        self, subjects: int, generator: np.random.Generator
    ) -> tuple[Int64[Array, "window"], Float64[Array, "window"], Int64[Array, "window"]]:
        """Labels, scores and subjects' numbers of the windows of new subjects."""
        windows = np.rint(
            self.windows_median
            * np.exp(self.windows_log_sd * generator.standard_normal((subjects, 2)))
        ).astype(np.int64)
        windows = np.maximum(windows, 1)
        lacking = np.flatnonzero(generator.random(subjects) < self.single_class)
        windows[lacking, generator.integers(0, 2, lacking.size)] = 0
        missed = self.missed_by * (generator.random(subjects) < self.missed_share)
        means = generator.standard_normal((subjects, 2)) * [self.first_sd, self.second_sd]
        means += self.baseline_sd * generator.standard_normal((subjects, 1))
        means[:, 1] += self.separation - missed
        labels = np.tile([0, 1], subjects)
        score = np.repeat(means.ravel(), windows.ravel())
        return (
            np.repeat(labels, windows.ravel()),
            score + generator.standard_normal(score.size),
            np.repeat(np.arange(subjects), windows.sum(axis=1)),
        )


POPULATIONS = (
    Population("AUROC 0.99", separation=4.785),
    Population("AUROC 0.95", separation=3.383),
    Population(
        "AUROC 0.99, one in 20 missed",
        separation=5.09,
        first_sd=0.35,
        second_sd=0.7,
        missed_share=0.05,
    ),
)


@dataclass(frozen=True, slots=True)
class Covered:
    """How often intervals of one method contain the true value, and their median width."""

    covered: float
    width: float


def study_coverage(
    population: Population,
    subjects: int,
    generator: np.random.Generator,
    *,
    replications: int,
    resamples: int,
    level: float = 0.95,
    methods: Sequence[Method] = tuple(LIMITS),
) -> dict[tuple[Quantity, Method], Covered]:
    """Draw cohorts and count how often their intervals contain the true value.

    A cohort without an interval, such as one with an AUROC of 1, counts as one that does not.
    """
    held: dict[tuple[Quantity, Method], list[bool]] = {}
    width: dict[tuple[Quantity, Method], list[float]] = {}
    for _ in range(replications):
        for quantity, statistic, size in _statistics(population, subjects, generator):
            truth = population.truth(quantity)
            try:
                spread = spread_over_subjects(
                    statistic, size, resamples=resamples, generator=generator
                )
            except NoIntervalError:
                for method in methods:
                    held.setdefault((quantity, method), []).append(False)
                continue
            for method in methods:
                low, high = LIMITS[method](spread, level, (0.0, 1.0))
                held.setdefault((quantity, method), []).append(low <= truth <= high)
                width.setdefault((quantity, method), []).append(high - low)
    return {key: Covered(float(np.mean(held[key])), float(np.median(width[key]))) for key in width}


def _statistics(
    population: Population, subjects: int, generator: np.random.Generator
) -> list[tuple[Quantity, Statistic, int]]:
    pairs = count_pairs(*population.draw(subjects, generator))
    own = pairs.own[pairs.both]
    return [
        ("pooled AUROC", pairs.pooled, subjects),
        ("subject AUROC", weighted_mean(own), own.size),
    ]

"""How often intervals hold the true value: patients drawn from populations where it is known.

A window's score is normal around its patient's mean for its rhythm. Patients differ in a baseline
that both rhythms share and in where their SR and their AF lie on top of it; the number of windows
is lognormal, and some patients have one rhythm only. Because all of this is normal, the
population's AUROC is known in closed form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation.auroc_pairs import count_pairs
from pacl.evaluation.coverage import Quantity
from pacl.evaluation.interval import NoIntervalError
from pacl.evaluation.interval_limits import LIMITS, Method
from pacl.evaluation.patient_spread import Statistic, spread_over_patients


@dataclass(frozen=True, slots=True)
class Population:
    """Patients as they might be; scores are in standard deviations of a patient's windows.

    Parameters
    ----------
    separation
        Of the mean AF and the mean SR score.
    baseline_sd, sr_sd, af_sd
        Of patients: in both rhythms alike, in SR, in AF.
    missed_share, missed_by
        Share of patients whose AF looks more like SR, and by how much.
    single_rhythm
        Share of patients with windows of one rhythm only, of either with equal chance.
    windows_median, windows_log_sd
        Of a patient's windows in a rhythm.
    """

    name: str
    separation: float
    baseline_sd: float = 0.7
    sr_sd: float = 0.5
    af_sd: float = 1.0
    missed_share: float = 0.0
    missed_by: float = 3.0
    single_rhythm: float = 0.12
    windows_median: float = 150.0
    windows_log_sd: float = 0.8

    def truth(self, quantity: Quantity) -> float:
        """AUROC over all windows of endless patients, or the mean of their own AUROCs."""
        from scipy.special import ndtr

        variance = 2 + self.sr_sd**2 + self.af_sd**2
        if quantity == "pooled AUROC":
            variance += 2 * self.baseline_sd**2
        usual, missed = ndtr(
            np.array([self.separation, self.separation - self.missed_by]) / sqrt(variance)
        )
        return float((1 - self.missed_share) * usual + self.missed_share * missed)

    def draw(
        self, patients: int, generator: np.random.Generator
    ) -> tuple[Int64[Array, "window"], Float64[Array, "window"], Int64[Array, "window"]]:
        """Labels, scores and patients' numbers of the windows of new patients."""
        windows = np.rint(
            self.windows_median
            * np.exp(self.windows_log_sd * generator.standard_normal((patients, 2)))
        ).astype(np.int64)
        windows = np.maximum(windows, 1)
        lacking = np.flatnonzero(generator.random(patients) < self.single_rhythm)
        windows[lacking, generator.integers(0, 2, lacking.size)] = 0
        missed = self.missed_by * (generator.random(patients) < self.missed_share)
        means = generator.standard_normal((patients, 2)) * [self.sr_sd, self.af_sd]
        means += self.baseline_sd * generator.standard_normal((patients, 1))
        means[:, 1] += self.separation - missed
        labels = np.tile([0, 1], patients)
        score = np.repeat(means.ravel(), windows.ravel())
        return (
            np.repeat(labels, windows.ravel()),
            score + generator.standard_normal(score.size),
            np.repeat(np.arange(patients), windows.sum(axis=1)),
        )


POPULATIONS = (
    Population("AUROC 0.99", separation=4.785),
    Population("AUROC 0.95", separation=3.383),
    Population(
        "AUROC 0.99, one in 20 missed",
        separation=5.09,
        sr_sd=0.35,
        af_sd=0.7,
        missed_share=0.05,
    ),
)


@dataclass(frozen=True, slots=True)
class Covered:
    """How often intervals of one method held the true value, and their median width."""

    covered: float
    width: float


def study_coverage(
    population: Population,
    patients: int,
    generator: np.random.Generator,
    *,
    replications: int,
    resamples: int,
    level: float = 0.95,
    methods: Sequence[Method] = tuple(LIMITS),
) -> dict[tuple[Quantity, Method], Covered]:
    """Draw cohorts of so many patients and look whether their intervals hold the true value.

    A cohort without an interval, such as one with an AUROC of 1, counts as one that does not.
    """
    held: dict[tuple[Quantity, Method], list[bool]] = {}
    width: dict[tuple[Quantity, Method], list[float]] = {}
    for _ in range(replications):
        for quantity, statistic, size in _statistics(population, patients, generator):
            truth = population.truth(quantity)
            try:
                spread = spread_over_patients(
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
    population: Population, patients: int, generator: np.random.Generator
) -> list[tuple[Quantity, Statistic, int]]:
    pairs = count_pairs(*population.draw(patients, generator))
    own = pairs.own[pairs.both]

    def mean(weights: Float64[Array, "resample own"]) -> Float64[Array, "resample"]:
        return np.asarray(weights @ own / weights.sum(axis=1))

    return [("pooled AUROC", pairs.pooled, patients), ("patient AUROC", mean, own.size)]

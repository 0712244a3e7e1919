"""Several systems at once: Friedman's test, Nemenyi's critical difference, Holm's correction.

Each patient ranks the systems by the AUROC within the patient (Demšar 2006). Two systems differ if
their average ranks lie further apart than

    CD = q sqrt(k (k + 1) / (6 N)),    k systems, N patients,

where q is the studentized range over sqrt(2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan, sqrt

import numpy as np

from pacl.axes import Array, Float64

LEVEL = 0.05
LEAST_SYSTEMS = 3
LEAST_PATIENTS = 2
DECIMALS = 9
"""Values that are equal to so many decimals are ties."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Average ranks, 1 the best.

    Parameters
    ----------
    methods, average
        Systems and their average ranks, the best first.
    patients
        Number of patients with an AUROC from every system.
    p
        Of Friedman's test that all systems are alike.
    critical
        Average ranks that lie no further apart do not differ at 5 %.
    alike
        Groups of systems that do not differ, by first and last place.
    """

    methods: tuple[str, ...]
    average: tuple[float, ...]
    patients: int
    p: float
    critical: float
    alike: tuple[tuple[int, int], ...]

    def beside(self, place: int) -> tuple[str, ...]:
        """Systems within the critical difference of the one at a place."""
        near = (abs(rank - self.average[place]) <= self.critical for rank in self.average)
        return tuple(
            name
            for at, (name, close) in enumerate(zip(self.methods, near, strict=True))
            if close and at != place
        )


def rank_systems(values: Float64[Array, "patient system"], methods: tuple[str, ...]) -> Ranks:
    """Rank the columns within each row, the highest value first."""
    from scipy.stats import rankdata

    ranks = rankdata(-values.round(DECIMALS), axis=1)
    average = ranks.mean(axis=0)
    order = np.argsort(average, kind="stable")
    ordered = average[order]
    critical = critical_difference(len(methods), len(values))
    return Ranks(
        tuple(methods[at] for at in order),
        tuple(ordered.tolist()),
        len(values),
        _friedman(ranks),
        critical,
        _alike(ordered, critical),
    )


def critical_difference(systems: int, patients: int, level: float = LEVEL) -> float:
    """Nemenyi's; average ranks further apart differ."""
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - level, systems, inf)) / sqrt(2)
    return quantile * sqrt(systems * (systems + 1) / (6 * patients))


def _friedman(ranks: Float64[Array, "patient system"]) -> float:
    from scipy.stats import friedmanchisquare

    if np.ptp(ranks, axis=1).max() == 0:
        return 1.0  # all systems are tied in all patients
    return float(friedmanchisquare(*ranks.T).pvalue)


def _alike(average: Float64[Array, "system"], critical: float) -> tuple[tuple[int, int], ...]:
    """The longest runs of neighbours within the critical difference, two systems or more."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(average):
        last = int(np.searchsorted(average, rank + critical, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return tuple(found)


def holm(p: Sequence[float]) -> list[float]:
    """p-values corrected for the number of tests (Holm 1979); NaN counts as no test.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((value, at) for at, value in enumerate(p) if not isnan(value))
    found, least = [nan] * len(p), 0.0
    for done, (value, at) in enumerate(order):
        least = max(least, min(1.0, (len(order) - done) * value))
        found[at] = least
    return found

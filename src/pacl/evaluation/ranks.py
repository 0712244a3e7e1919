"""Ranks: Friedman's test and Nemenyi's critical difference, Holm's correction, Spearman's rho.

Each subject ranks the systems by the AUROC within the subject (Demšar 2006). Two systems differ if
their average ranks lie further apart than

    CD = q sqrt(k (k + 1) / (6 N)),    k systems, N subjects,

where q is the studentized range over sqrt(2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan, sqrt

import numpy as np

from pacl.axes import Array, Float64, Int64

SIGNIFICANCE = 0.05
LEAST_SYSTEMS = 3
LEAST_SUBJECTS = 2
DECIMALS = 9
"""Values that are equal to this many decimals are ties."""
FEWEST = 5
"""Fewest values for a rank correlation."""
DRAWS = 10_000


@dataclass(frozen=True, slots=True)
class Ranks:
    """Average ranks, 1 the best.

    Parameters
    ----------
    methods, average
        Systems and their average ranks, the best first.
    subjects
        Number of subjects with an AUROC from each system.
    p
        Of Friedman's test that all systems are alike.
    critical
        Average ranks that lie no further apart do not differ at 5 %.
    alike
        Groups of systems that do not differ, by first and last place.
    """

    methods: tuple[str, ...]
    average: tuple[float, ...]
    subjects: int
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


def rank_systems(values: Float64[Array, "subject system"], methods: tuple[str, ...]) -> Ranks:
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


def critical_difference(systems: int, subjects: int, level: float = SIGNIFICANCE) -> float:
    """Nemenyi's; average ranks further apart differ."""
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - level, systems, inf)) / sqrt(2)
    return quantile * sqrt(systems * (systems + 1) / (6 * subjects))


def _friedman(ranks: Float64[Array, "subject system"]) -> float:
    from scipy.stats import friedmanchisquare

    if np.ptp(ranks, axis=1).max() == 0:
        return 1.0  # all systems are tied in all subjects
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


@dataclass(frozen=True, slots=True)
class RankTest:
    """The correlation, the share of permutations at least as far from 0, and of how many values."""

    rho: float
    p_value: float
    count: int


def rank_correlation(one: Float64[Array, "row"], other: Float64[Array, "row"]) -> float | None:
    """The correlation of ranks, ties sharing theirs; None for few values or equal ones."""
    if one.size < FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def rank_test(
    one: Float64[Array, "row"],
    other: Float64[Array, "row"],
    generator: np.random.Generator,
    groups: Int64[Array, "row"] | None = None,
) -> RankTest | None:
    """Test by permutation whether two values of each row go together, where a row has both.

    With `groups`, ranks are taken within groups and permuted within them, so that what the groups
    have in common does not count.
    """
    known = np.isfinite(one) & np.isfinite(other)
    of = np.zeros(one.size, dtype=np.int64) if groups is None else groups
    first, second = one[known].copy(), other[known].copy()
    each = [np.flatnonzero(of[known] == group) for group in np.unique(of[known])]
    for rows in each:
        for values in (first, second):
            within = ranks(values[rows])
            values[rows] = within - within.mean()
    scale = float(np.sqrt((first**2).sum() * (second**2).sum()))
    if first.size < FEWEST or scale == 0:
        return None
    rho = float(first @ second) / scale
    drawn = np.zeros(DRAWS)
    for rows in each:
        drawn += generator.permuted(np.tile(second[rows], (DRAWS, 1)), axis=1) @ first[rows]
    at_least = int(np.count_nonzero(np.abs(drawn / scale) >= abs(rho) - 1e-12))
    return RankTest(rho, (at_least + 1) / (DRAWS + 1), int(known.sum()))


def ranks(values: Float64[Array, "row"]) -> Float64[Array, "row"]:
    """From 0 up; equal values share the mean of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values) - 1.0)

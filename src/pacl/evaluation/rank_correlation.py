"""Spearman's rank correlation, and how often chance gives one as strong."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64

FEWEST = 5
"""With fewer values a rank correlation says nothing."""
DRAWS = 10_000


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
    have in common says nothing.
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
    ordered = np.sort(values)
    low, high = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((low + high - 1) / 2, dtype=np.float64)

"""Whether one loss varies more over seeds than another: the ratio of standard deviations."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError

POWER = 0.8
MOST_SEEDS = 100_000


@dataclass(frozen=True, slots=True)
class SpreadRatio:
    """Standard deviation of the first over that of the second.

    Parameters
    ----------
    ratio, low, high
        Ratio of standard deviations (not of variances) and its interval at `level`.
    p_value
        Of the F-test that both are equal, two-sided. It assumes normal values, and errs where
        single seeds fail.
    p_paired
        Of the Pitman-Morgan test, which allows for seeds that both losses share; None where they
        do not.
    seeds_needed
        Seeds of each loss with which an F-test at 1 - `level` would tell such a ratio from 1 in
        80 % of studies; None where the ratio is 1, or so near that more than 100,000 were needed.
    """

    ratio: float
    low: float
    high: float
    level: float
    p_value: float
    p_paired: float | None
    seeds_needed: int | None
    seeds: tuple[int, int]


def spread_ratio(
    first: Float64[Array, "seed"],
    second: Float64[Array, "other_seed"],
    *,
    shared_seeds: bool = False,
    level: float = 0.95,
) -> SpreadRatio:
    """Compare the spread of one value a seed of two losses.

    Parameters
    ----------
    shared_seeds
        Whether both list the same seeds in the same order.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise EvaluationError("a seed without a finite value; leave it out and say so")
    if shared_seeds and len(first) != len(second):
        raise EvaluationError(
            f"{len(first)} and {len(second)} values of seeds said to be shared; give both losses' "
            "values of the same seeds"
        )
    sds = [float(values.std(ddof=1)) if len(values) > 1 else 0.0 for values in (first, second)]
    for at, values in enumerate((first, second)):
        if len(values) and sds[at] <= 1e-12 * float(np.abs(values).max()):
            sds[at] = 0.0  # rounding
    return spread_ratio_of(
        sds[0],
        sds[1],
        (len(first), len(second)),
        level=level,
        p_paired=_pitman_morgan(first, second) if shared_seeds and len(first) > 2 else None,
    )


def spread_ratio_of(
    first_sd: float,
    second_sd: float,
    seeds: tuple[int, int],
    *,
    level: float = 0.95,
    p_paired: float | None = None,
) -> SpreadRatio:
    """The same from printed standard deviations (ddof = 1), as of a paper's table."""
    from scipy.special import fdtr, fdtrc, fdtri

    if min(seeds) < 2 or not (0 < first_sd < np.inf and 0 < second_sd < np.inf):
        raise EvaluationError(
            f"standard deviations {first_sd:g} and {second_sd:g} over {seeds[0]} and {seeds[1]} "
            "seeds; a ratio needs two above 0, each from at least 2 seeds"
        )
    if not 0 < level < 1:
        raise EvaluationError(f"level {level}; give a share between 0 and 1, such as 0.95")
    ratio, (above, below) = first_sd / second_sd, (seeds[0] - 1, seeds[1] - 1)
    tail = (1 + level) / 2
    return SpreadRatio(
        ratio=ratio,
        low=ratio / sqrt(fdtri(above, below, tail)),
        high=ratio * sqrt(fdtri(below, above, tail)),
        level=level,
        p_value=min(
            1.0, 2 * float(min(fdtr(above, below, ratio**2), fdtrc(above, below, ratio**2)))
        ),
        p_paired=p_paired,
        seeds_needed=seeds_to_tell(ratio, level=level),
        seeds=seeds,
    )


def spread_power(ratio: float, seeds: int, *, level: float = 0.95) -> float:
    """Chance that a two-sided F-test of so many seeds each finds a true ratio not to be 1."""
    from scipy.special import fdtr, fdtrc, fdtri

    free, tail = seeds - 1, (1 + level) / 2
    high = fdtri(free, free, tail) / ratio**2
    low = fdtri(free, free, 1 - tail) / ratio**2
    return float(fdtrc(free, free, high) + fdtr(free, free, low))


def seeds_to_tell(ratio: float, *, level: float = 0.95, power: float = POWER) -> int | None:
    """Fewest seeds of each loss with which a true ratio is told from 1 with such power."""
    if spread_power(ratio, MOST_SEEDS, level=level) < power:
        return None
    few, many = 1, MOST_SEEDS
    while many - few > 1:
        middle = (few + many) // 2
        enough = spread_power(ratio, middle, level=level) >= power
        few, many = (few, middle) if enough else (middle, many)
    return many


def _pitman_morgan(first: Float64[Array, "seed"], second: Float64[Array, "seed"]) -> float | None:
    """Variances are equal where sum and difference are not correlated (Pitman, Morgan, 1939)."""
    from scipy.special import stdtr

    total, difference = first + second, first - second
    spread = float(total.std() * difference.std())
    if spread <= 1e-12 * float(np.abs(np.concatenate([first, second])).max()) ** 2:
        return None
    centred = (total - total.mean()) @ (difference - difference.mean()) / len(total)
    correlation = min(max(float(centred) / spread, -1.0), 1.0)
    free = len(first) - 2
    left = 1 - correlation**2
    return float(2 * stdtr(free, -abs(correlation) * sqrt(free / left))) if left > 0 else 0.0

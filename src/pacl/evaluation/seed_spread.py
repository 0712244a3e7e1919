"""Spread over seeds: the ratio of two losses, and the variance of seeds against subjects.

The variance is split by two-way random effects without replication: value = mean + seed + subject +
rest, where the rest is the effect of a seed on one subject, with the noise of measuring. The mean
squares of the analysis of variance give unbiased estimates,

    seed    = (MS_seed - MS_rest) / subjects
    subject = (MS_subject - MS_rest) / seeds
    rest    = MS_rest,

which may fall below 0; such an estimate is reported as 0 and named.
"""

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
        Of the two-sided F-test that both are equal, which assumes normal values.
    p_paired
        Of the Pitman-Morgan test, which allows for seeds that both losses share; None where they
        do not.
    seeds_needed
        Seeds of each loss with which an F-test at 1 - `level` would find that the ratio is not 1 in
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
    """Compare the spread over seeds of two losses; `shared_seeds` if both list the same seeds."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise EvaluationError("a seed without a finite value; leave it out and report that")
    if shared_seeds and len(first) != len(second):
        raise EvaluationError(
            f"{len(first)} and {len(second)} values of shared seeds; give both losses' "
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
        seeds_needed=seeds_needed_for(ratio, level=level),
        seeds=seeds,
    )


def spread_power(ratio: float, seeds: int, *, level: float = 0.95) -> float:
    """Power of a two-sided F-test with `seeds` seeds per loss to find that a ratio is not 1."""
    from scipy.special import fdtr, fdtrc, fdtri

    free, tail = seeds - 1, (1 + level) / 2
    high = fdtri(free, free, tail) / ratio**2
    low = fdtri(free, free, 1 - tail) / ratio**2
    return float(fdtrc(free, free, high) + fdtr(free, free, low))


def seeds_needed_for(ratio: float, *, level: float = 0.95, power: float = POWER) -> int | None:
    """Fewest seeds of each loss to find with such power that a true ratio is not 1."""
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


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """Variances, which add up to that of one seed's value of one subject.

    Parameters
    ----------
    seed, subject, rest
        Estimated variances, at least 0.
    seed_share, subject_share, rest_share
        Of their sum.
    negative
        Names of those estimated below 0.
    """

    seed: float
    subject: float
    rest: float
    seed_share: float
    subject_share: float
    rest_share: float
    negative: tuple[str, ...]
    seeds: int
    subjects: int


def split_variance(values: Float64[Array, "seed subject"]) -> VarianceSplit:
    """Split the variance of a value for each seed and subject."""
    seeds, subjects = values.shape
    if seeds < 2 or subjects < 2:
        raise EvaluationError(
            f"{seeds} seed(s) and {subjects} subject(s); a variance is split from at least 2 of "
            "each"
        )
    if not np.isfinite(values).all():
        seed, subject = (int(at) for at in np.argwhere(~np.isfinite(values))[0])
        raise EvaluationError(
            f"seed {seed}, subject {subject} (counted from 0): no finite value; leave the subject "
            "or the seed out and report that"
        )
    mean, of_seed, of_subject = values.mean(), values.mean(axis=1), values.mean(axis=0)
    rest = values - of_seed[:, None] - of_subject[None, :] + mean
    ms_seed = subjects * float(np.sum((of_seed - mean) ** 2)) / (seeds - 1)
    ms_subject = seeds * float(np.sum((of_subject - mean) ** 2)) / (subjects - 1)
    ms_rest = float(np.sum(rest**2)) / ((seeds - 1) * (subjects - 1))
    found = {
        "seed": (ms_seed - ms_rest) / subjects,
        "subject": (ms_subject - ms_rest) / seeds,
        "rest": ms_rest,
    }
    total = sum(max(variance, 0.0) for variance in found.values())
    if total <= 1e-24 * float(np.abs(values).max()) ** 2:
        raise EvaluationError(
            f"all {values.size} values are {mean:g}; there is no variance to be split"
        )
    kept = {name: max(variance, 0.0) for name, variance in found.items()}
    return VarianceSplit(
        **kept,
        **{f"{name}_share": variance / total for name, variance in kept.items()},
        negative=tuple(name for name, variance in found.items() if variance < 0),
        seeds=seeds,
        subjects=subjects,
    )

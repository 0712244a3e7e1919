"""Sign-flip test, and two losses compared over seeds alone, for the same subjects."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import NoIntervalError, student_quantile

EXACT = 14
"""Up to this number of units all 2^units flips are used; with more, flips are drawn."""
DRAWS = 9999
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Two-sided p-value.

    `exact` where all flips were used. `smallest` is the least possible p-value: 2 / 32 with five
    units.
    """

    p_value: float
    exact: bool
    smallest: float


def sign_flip(
    differences: Float64[Array, "unit"], generator: np.random.Generator | None = None
) -> SignFlip:
    """Test whether differences lie around 0, each as likely to have had the other sign."""
    if not np.isfinite(differences).all():
        raise EvaluationError("differences that are not finite; leave out units without a value")
    return flip_test(
        lambda signs: signs @ differences / max(len(differences), 1), len(differences), generator
    )


def flip_test(
    statistic: Callable[[Array], Array], units: int, generator: np.random.Generator | None = None
) -> SignFlip:
    """Test any number that changes its sign when all units are flipped.

    Parameters
    ----------
    statistic
        From signs [flip, unit], 1 or -1, to a value [flip].
    generator
        To draw flips with, where there are more than `EXACT` units.
    """
    if units < 1:
        raise EvaluationError("no units to flip; give at least one difference")
    exact = units <= EXACT
    if exact:
        bits = np.arange(2**units)[:, None] >> np.arange(units) & 1
    elif generator is None:
        raise EvaluationError(
            f"{units} units have more than 2^{EXACT} flips; give a numpy.random.Generator to draw "
            "them with"
        )
    else:
        bits = generator.integers(0, 2, (DRAWS, units))
        bits = np.concatenate([np.zeros((1, units), dtype=bits.dtype), bits])  # as it was found
    moved = np.abs(statistic(1.0 - 2.0 * bits))
    found = moved[0]
    extreme = np.count_nonzero(moved >= found - ROUNDING * max(found, moved.max()))
    return SignFlip(
        p_value=float(extreme / len(moved)),
        exact=exact,
        smallest=2 / len(moved) if exact else 1 / len(moved),
    )


@dataclass(frozen=True, slots=True)
class SeedComparison:
    """First less second, over seeds that both losses share, on one and the same set of subjects.

    Parameters
    ----------
    difference, low, high
        Mean over seeds and the interval of Student's paired t at `level`.
    t, p_value
        Of the paired t-test, two-sided, with (seeds - 1) degrees of freedom.
    flips
        The sign-flip test, which assumes no normal distribution; with five seeds its p-value
        cannot be below 0.0625.
    first_better
        Share of seeds in which the first is higher, a tie counting half.
    """

    difference: float
    low: float
    high: float
    level: float
    t: float
    p_value: float
    flips: SignFlip
    first_better: float
    seeds: int


def compare_seeds(
    first: Float64[Array, "seed"],
    second: Float64[Array, "other_seed"],
    generator: np.random.Generator | None = None,
    *,
    level: float = 0.95,
) -> SeedComparison:
    """Compare one value per seed of two losses, seed by seed.

    The unit is the seed: would other training runs on the same data keep the order, for the same
    test subjects? For other subjects see `compare_subjects`.
    """
    from scipy.special import stdtr

    seeds = len(first)
    if len(second) != seeds or seeds < 2:
        raise EvaluationError(
            f"{seeds} and {len(second)} values; give both losses' values of the same seeds, at "
            "least 2"
        )
    differences = first - second
    if not np.isfinite(differences).all():
        raise EvaluationError(
            f"seed {int(np.argmin(np.isfinite(differences)))} (counted from 0) has no finite value "
            "in one of the losses; leave the seed out and report that"
        )
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / sqrt(seeds)
    if error <= 1e-12 * float(np.abs(np.concatenate([first, second])).max()):
        raise NoIntervalError(
            f"{seeds} seeds that all differ by {mean:g}; without spread over seeds there is "
            "neither t nor interval"
        )
    reach = student_quantile(float(seeds - 1), level) * error
    return SeedComparison(
        difference=mean,
        low=mean - reach,
        high=mean + reach,
        level=level,
        t=mean / error,
        p_value=float(2 * stdtr(seeds - 1, -abs(mean / error))),
        flips=sign_flip(differences, generator),
        first_better=share_better(differences),
        seeds=seeds,
    )


def share_better(differences: Float64[Array, "unit"]) -> float:
    """Share of differences above 0, those of 0 counting half."""
    return float((np.mean(differences > 0) + np.mean(differences >= 0)) / 2)

"""Sign-flip test: how often chance alone moves a mean difference as far from 0."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError

EXACT = 14
"""Up to so many units all 2^units flips are looked at; with more, flips are drawn."""
DRAWS = 9999
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Two-sided p-value.

    `exact` where all flips were looked at. `smallest` is the least p-value there could have been:
    with five units all flips but two are less extreme, so that it is 2 / 32.
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
    """Test any number that turns its sign when all units are flipped.

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

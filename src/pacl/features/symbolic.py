"""Words of three beats, each beat one of four letters (Porta et al. 2007, Cysarz et al. 2013).

The letters are the quarters of the window's own intervals. Equal to NeuroKit2's
`Symbolic_EqualProb4`.
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.quantile import quantile

SYMBOLIC_NAMES = tuple(f"Symbolic_EqualProb4_{family}" for family in ("0V", "1V", "2LV", "2UV"))


def symbolic_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 4"]:
    """Shares of words without a change, with one, with two of one direction, with two of both.

    Examples
    --------
    >>> symbolic_features(np.array([[700.0, 750.0, 800.0, 850.0, 700.0, 850.0]]))
    array([[0. , 0. , 0.5, 0.5]])
    """
    ordered = np.sort(rr_ms, axis=1)
    letter = np.zeros(rr_ms.shape, dtype=np.int8)
    for share in (0.25, 0.5, 0.75):
        letter += rr_ms >= quantile(ordered, share)[:, None]
    step = np.sign(np.diff(letter, axis=1))
    first, second = step[:, :-1], step[:, 1:]
    changes = np.abs(first) + np.abs(second)
    families = [changes == 0, changes == 1, (first == second) & (changes == 2), first * second < 0]
    return np.column_stack([family.mean(axis=1) for family in families])

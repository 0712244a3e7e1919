"""Entropies of a window (approximate, sample, Shannon), and symbolic words of three beats.

Pincus (1991) and Richman & Moorman (2000), with stretches of two beats and a tolerance of 0.2
standard deviations; Shannon's is that of the values themselves, in bits, so it depends on how
finely they were recorded. Words: each beat is one of four letters, the quarters of the window's own
intervals (Porta et al. 2007, Cysarz et al. 2013; `Symbolic_EqualProb4`). Equal to NeuroKit2
wherever that is finite.
"""

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.features.neighbours import count_neighbours
from pacl.features.numeric import log_of, quantile

ENTROPY_NAMES = ("ApEn", "SampEn", "ShanEn")

STRETCH = 2
TOLERANCE = 0.2


def entropy_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 3"]:
    """`ENTROPY_NAMES` of each window; all 0 for equal beats."""
    tolerance_ms = TOLERANCE * (rr_ms - rr_ms[:, :1]).std(axis=1, ddof=1)
    short, long = count_neighbours(rr_ms, tolerance_ms, STRETCH)
    return np.column_stack(
        [approximate_entropy(short, long), sample_entropy(short, long), shannon_entropy(rr_ms)]
    )


def approximate_entropy(
    short: Int64[Array, "window stretch"], long: Int64[Array, "window longer"]
) -> Float64[Array, "window"]:
    """From the neighbours of each stretch; each is its own neighbour too."""
    phi = [np.log((count + 1) / count.shape[1]).mean(axis=1) for count in (short, long)]
    return np.asarray(np.abs(phi[0] - phi[1]))


def sample_entropy(
    short: Int64[Array, "window stretch"], long: Int64[Array, "window longer"]
) -> Float64[Array, "window"]:
    """From the neighbours of each stretch; the last short one, which cannot grow, is left out.

    Where no pair resembles each other, or none still does a beat later, it is the bound that
    Richman & Moorman (2000) give: the logarithm of the number of pairs there are.
    """
    pairs = short.sum(axis=1) // 2 - short[:, -1]
    still = long.sum(axis=1) // 2
    stretches = long.shape[1]
    bound = np.log(stretches * (stretches - 1) / 2)
    return np.where((pairs > 0) & (still > 0), log_of(pairs) - log_of(still), bound)


def shannon_entropy(values: Float64[Array, "window value"]) -> Float64[Array, "window"]:
    """Of how often each value occurs, in bits.

    Examples
    --------
    >>> shannon_entropy(np.array([[1.0, 2.0, 1.0, 2.0], [5.0, 5.0, 5.0, 5.0]]))
    array([1., 0.])
    """
    windows, number = values.shape
    ordered = np.sort(values, axis=1)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    begins = np.flatnonzero(new)
    times = np.diff(begins, append=values.size)
    bits = times / number * np.log2(number / times)
    return np.bincount(begins // number, weights=bits, minlength=windows)


SYMBOLIC_NAMES = tuple(f"Symbolic_EqualProb4_{family}" for family in ("0V", "1V", "2LV", "2UV"))


def symbolic_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 4"]:
    """Shares of words with no change, one, two in one direction, two in both directions.

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

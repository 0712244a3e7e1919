"""Numerical building blocks: quantiles, ratios, batches, and scratch memory."""

import math
from collections.abc import Callable
from threading import local
from typing import final

import numpy as np

from pacl.axes import Array, Float64, Real


def quantile(ordered: Float64[Array, "window value"], share: float) -> Float64[Array, "window"]:
    """Quantile of each sorted row, with linear interpolation as in numpy.

    Examples
    --------
    >>> quantile(np.array([[1.0, 2.0, 4.0]]), 0.75)
    array([3.])
    """
    place = share * (ordered.shape[1] - 1)
    below = int(place)
    low, high = ordered[:, below], ordered[:, min(below + 1, ordered.shape[1] - 1)]
    return np.asarray(low + (high - low) * (place - below))


def over(above: Real[Array, "..."], below: Real[Array, "..."]) -> Float64[Array, "..."]:
    """Divide; 0 where the denominator is 0.

    Examples
    --------
    >>> over(np.array([1.0, 0.0, 3.0]), np.array([2.0, 0.0, 0.0]))
    array([0.5, 0. , 0. ])
    """
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.divide(above, below, out=np.zeros(shape), where=below != 0)


def log_of(values: Real[Array, "..."]) -> Float64[Array, "..."]:
    """Natural logarithm; 0 where it is not defined.

    Examples
    --------
    >>> log_of(np.array([1.0, 0.0]))
    array([0., 0.])
    """
    return np.log(values, out=np.zeros(values.shape), where=values > 0)


def in_batches(
    features: Callable[[Float64[Array, "window beat"]], Float64[Array, "window feature"]],
    rr_ms: Float64[Array, "window beat"],
    beats: int,
) -> Float64[Array, "window feature"]:
    """Features of each window, computed for about `beats` beats at a time, which fit the cache.

    Examples
    --------
    >>> in_batches(lambda rr_ms: rr_ms[:, :2], np.ones((7, 50)), 100).shape
    (7, 2)
    """
    batch = max(beats // rr_ms.shape[1], 1)
    starts = range(0, max(len(rr_ms), 1), batch)
    return np.concatenate([features(rr_ms[start : start + batch]) for start in starts])


MOST_BYTES = 2**24
"""Larger arrays are allocated each time, so that long windows keep no memory."""


@final
class Scratch:
    """Reusable arrays by name, each overwritten by the next request in the same thread."""

    def __init__(self) -> None:
        self._held = local()

    def array(self, name: str, shape: tuple[int, ...]) -> Float64[Array, "..."]:
        """An array of this shape with arbitrary contents."""
        size = math.prod(shape)
        if 8 * size > MOST_BYTES:
            return np.empty(shape)
        held: Float64[Array, "place"] | None = getattr(self._held, name, None)
        if held is None or held.size < size:
            held = np.empty(size)
            setattr(self._held, name, held)
        return held[:size].reshape(shape)

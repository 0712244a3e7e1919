"""Ratios and logarithms that are 0 where they are not defined, as in a window of equal beats."""

import numpy as np

from pacl.axes import Array, Float64, Real


def over(above: Real[Array, "..."], below: Real[Array, "..."]) -> Float64[Array, "..."]:
    """Divide; 0 where there is nothing to divide by.

    Examples
    --------
    >>> over(np.array([1.0, 0.0, 3.0]), np.array([2.0, 0.0, 0.0]))
    array([0.5, 0. , 0. ])
    """
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.divide(above, below, out=np.zeros(shape), where=below != 0)


def log_of(values: Real[Array, "..."]) -> Float64[Array, "..."]:
    """Natural logarithm; 0 where there is none.

    Examples
    --------
    >>> log_of(np.array([1.0, 0.0]))
    array([0., 0.])
    """
    return np.log(values, out=np.zeros(values.shape), where=values > 0)

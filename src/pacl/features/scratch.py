"""Memory that is used again: new memory costs more than the numbers that are put into it."""

import math
from threading import local
from typing import final

import numpy as np

from pacl.axes import Array, Float64

MOST_BYTES = 2**24
"""Larger arrays are new each time, so that long windows leave nothing behind."""


@final
class Scratch:
    """Arrays by name, each overwritten when it is asked for again in the same thread.

    Examples
    --------
    >>> room = Scratch()
    >>> once = room.array("sums", (2, 3))
    >>> np.shares_memory(once, room.array("sums", (2, 2)))
    True
    """

    def __init__(self) -> None:
        self._held = local()

    def array(self, name: str, shape: tuple[int, ...]) -> Float64[Array, "..."]:
        """Of this shape, holding anything."""
        size = math.prod(shape)
        if 8 * size > MOST_BYTES:
            return np.empty(shape)
        held: Float64[Array, "place"] | None = getattr(self._held, name, None)
        if held is None or held.size < size:
            held = np.empty(size)
            setattr(self._held, name, held)
        return held[:size].reshape(shape)

"""Fragmentation: how often the heart changes between acceleration and deceleration (Costa 2017).

Equal to NeuroKit2, which counts the same things but calls shares what the paper gives in percent,
and takes the share of *segments*, where the paper takes that of beats, for the last two.
"""

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.features.numeric import over

FRAGMENTATION_NAMES = ("PIP", "IALS", "PSS", "PAS")

LONG_RUN = 3
"""Steps of one direction that make a segment long."""

ALTERNATION = 4
"""Turns one after the other that make an alternation."""


def fragmentation_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 4"]:
    """`FRAGMENTATION_NAMES` of each window; 0 for a share of nothing.

    Turns over beats, segments over the steps in them, the share of segments shorter than
    `LONG_RUN` steps, and the share of runs of turns that are at least `ALTERNATION` long.
    """
    step = np.sign(np.diff(rr_ms, axis=1))
    turns = step[:, 1:] != step[:, :-1]
    up, down = step > 0, step < 0
    segments = _runs(up, 1) + _runs(down, 1)
    long = _runs(up, LONG_RUN) + _runs(down, LONG_RUN)
    return np.column_stack(
        [
            turns.sum(axis=1) / rr_ms.shape[1],
            over(segments, np.count_nonzero(step, axis=1)),
            over(segments - long, segments),
            over(_runs(turns, ALTERNATION), _runs(turns, 1)),
        ]
    )


def _runs(true: Bool[Array, "window place"], length: int) -> Int64[Array, "window"]:
    """How many runs of true are at least `length` long: each is counted where it begins."""
    begins = true.copy()
    begins[:, 1:] &= ~true[:, :-1]
    places = max(true.shape[1] - length + 1, 0)
    begins = begins[:, :places]
    for ahead in range(1, length):
        begins = begins & true[:, ahead : ahead + places]
    return np.asarray(np.count_nonzero(begins, axis=1))

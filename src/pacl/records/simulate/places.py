"""Where along a run things happen: clustered places, and ranges that grow from them."""

import numpy as np

from pacl.axes import Array, Bool, Int64

BLOCK = 256
"""Beats over which a rate is constant; from block to block it varies."""


def clustered(
    beats: int, rate: float, clustering: float, generator: np.random.Generator
) -> Int64[Array, "place"]:
    """Sorted places that come at `rate` per beat on average, but in bursts.

    The rate of each block is drawn from a gamma distribution with mean `rate` and variance
    `clustering * rate**2`, so counts are negative binomial; `clustering` 0 is a Poisson process.
    """
    if rate <= 0 or beats <= 0:
        return np.empty(0, dtype=np.int64)
    blocks = -(-beats // BLOCK)
    expected = np.full(blocks, rate * BLOCK)
    if clustering > 0:
        expected *= generator.standard_gamma(1 / clustering, blocks) * clustering
    counts = generator.poisson(expected)
    places = np.repeat(np.arange(blocks) * BLOCK, counts)
    places += generator.integers(0, BLOCK, places.size)
    places = np.unique(places)
    return places[places < beats]


def ranges(
    starts: Int64[Array, "run"], counts: Int64[Array, "run"], stride: int = 1
) -> Int64[Array, "place"]:
    """`start, start + stride, ...`, `count` of them for each run, one run after the other."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    return np.repeat(starts - stride * before, counts) + stride * np.arange(total)


def free(
    places: Int64[Array, "place"], taken: Bool[Array, "beat"], width: int
) -> Int64[Array, "free"]:
    """The places at which `width` beats, and the one before them, are inside and not taken."""
    places = places[(places >= 1) & (places + width <= taken.size)]
    clear = ~taken[places - 1]
    for offset in range(width):
        clear &= ~taken[places + offset]
    kept: Int64[Array, "free"] = places[clear]
    return kept


def apart(places: Int64[Array, "place"], distance: int) -> Int64[Array, "kept"]:
    """Sorted places without those that come closer than `distance` after another."""
    near = np.zeros(places.size, dtype=bool)
    near[1:] = np.diff(places) < distance
    return places[~near]

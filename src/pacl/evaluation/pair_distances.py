"""Mean over the pairs of two groups of windows: of |x-y|^2, and of exp(-t |x-y|^2)."""

import math

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation.patient_groups import ROUNDING, PatientGroups

SHARPNESS = 2.0
"""t of the uniformity; Wang & Isola's value."""

TILE_WINDOWS = 512
"""Side of a tile of pairs: a megabyte of float32, which a core's cache holds.

A row of tiles is in memory at once: 2 kB for each window drawn.
"""


def mean_squared_distances(groups: PatientGroups) -> Float64[Array, "group group"]:
    """Mean |x-y|^2 over all pairs of two groups, without making the pairs.

    For unit vectors it is 2 - 2 mu_a.mu_b between groups. Within a group of n it is 2n/(n-1) times
    the mean |z-mu|^2, the same without its self-pairs; written so, tight groups lose no digits.
    A group of one window has no pair with itself: 0.
    """
    means = groups.means(groups.embedded)
    squared = np.maximum(2 - 2 * means @ means.T, 0)
    apart = groups.embedded - means[groups.of_window]
    spread = groups.means(np.einsum("wf,wf->w", apart, apart)[:, None])[:, 0]
    spread[spread <= ROUNDING**2] = 0
    n = groups.windows
    np.fill_diagonal(squared, np.where(n > 1, 2 * n / np.maximum(n - 1, 1) * spread, 0))
    return np.asarray(squared)


def mean_kernels(
    groups: PatientGroups, drawn: Int64[Array, "drawn"]
) -> Float64[Array, "group group"]:
    """Mean exp(-t |x-y|^2) over pairs of the `drawn` windows of two groups, a tile at a time.

    `drawn` is sorted, with windows of every group. No window is paired with itself; a group of
    which one window is drawn has 0 with itself.
    """
    # |x-y|^2 is 2 - 2 x.y, so the kernel is exp(2t x.y) exp(-2t): 2t goes into the vectors
    vectors = (math.sqrt(2 * SHARPNESS) * groups.embedded[drawn]).astype(np.float32)
    group = groups.of_window[drawn]
    sums = np.zeros((len(groups.windows),) * 2)
    tiles = [slice(at, at + TILE_WINDOWS) for at in range(0, len(drawn), TILE_WINDOWS)]
    runs = [np.unique(group[tile], return_index=True) for tile in tiles]
    for i, (row_groups, row_starts) in enumerate(runs):
        # one product for a row of tiles: many small ones make BLAS wait for its threads each time
        products = vectors[tiles[i]] @ vectors[: tiles[i].stop].T
        for j, (column_groups, column_starts) in enumerate(runs[: i + 1]):
            tile = np.exp(products[:, tiles[j]])
            if i == j:
                np.fill_diagonal(tile, 0)
            rows = np.add.reduceat(tile, row_starts, axis=0)
            blocks = np.add.reduceat(rows, column_starts, axis=1, dtype=np.float64)
            sums[np.ix_(row_groups, column_groups)] += blocks
            if i != j:
                sums[np.ix_(column_groups, row_groups)] += blocks.T
    used = np.bincount(group)
    pairs = np.outer(used, used) - np.diag(used)
    # float32 may take a cosine of 1 a little above it, and the kernel with it
    return np.minimum(math.exp(-2 * SHARPNESS) * sums / np.maximum(pairs, 1), 1)


def centroid_cosines(
    groups: PatientGroups, chosen: Int64[Array, "chosen"]
) -> Float64[Array, "pair"]:
    """Cosine of every two of the `chosen` groups' centroids; a zero centroid has no direction."""
    centroids = groups.means(groups.embedded)[chosen]
    lengths = np.linalg.norm(centroids, axis=1)
    directions = centroids[lengths > ROUNDING] / lengths[lengths > ROUNDING, None]
    every_two = np.triu_indices(len(directions), k=1)
    return np.asarray((directions @ directions.T)[every_two].clip(-1, 1))


def draw_windows(
    groups: PatientGroups, per_group: int, generator: np.random.Generator
) -> Int64[Array, "drawn"]:
    """Rows of at most `per_group` windows of each group, drawn without replacement, sorted."""
    shuffled = np.lexsort((generator.random(len(groups.embedded)), groups.of_window))
    place = np.arange(len(shuffled)) - groups.starts[groups.of_window]
    return np.sort(shuffled[place < per_group])

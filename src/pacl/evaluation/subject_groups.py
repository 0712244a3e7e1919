"""Windows grouped by subject and class: the index sets S_p^c of the geometry (Eqs. 6-10).

Also means over the pairs of two groups: of |x-y|^2, and of exp(-t |x-y|^2).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int, Int64, Real
from pacl.evaluation.classes import class_count, named_classes
from pacl.evaluation.errors import EvaluationError

UNIT_TOLERANCE = 1e-3
"""How far from 1 the length of an embedding may be; half precision stays within it."""

ROUNDING = 1e-10
"""Lengths up to this are the rounding of float64 sums over many windows, and count as zero."""
SHARPNESS = 2.0
"""t of the uniformity; Wang & Isola's value."""
TILE_WINDOWS = 512
"""Side of a tile of pairs: a megabyte of float32, which a core's cache holds.

A row of tiles is in memory at once: 2 kB for each window drawn.
"""


@dataclass(frozen=True, slots=True)
class SubjectGroups:
    """Windows sorted by subject, then class, so that each group is one stretch of rows.

    Only groups that have windows exist. `subject` and `label` identify a group; `subject` counts
    through `names`, the subjects who have windows, `label` through `class_names`.
    """

    names: tuple[str, ...]
    class_names: tuple[str, ...]
    embedded: Float64[Array, "window feature"]
    of_window: Int64[Array, "window"]
    subject: Int64[Array, "group"]
    label: Int64[Array, "group"]
    windows: Int64[Array, "group"]
    starts: Int64[Array, "group"]

    def means(self, values: Float64[Array, "window value"]) -> Float64[Array, "group value"]:
        """Mean of each group's rows."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=0) / self.windows[:, None])

    def table(self, values: Float64[Array, "group"]) -> Float64[Array, "subject class"]:
        """One value per group, by subject and class; NaN where a subject lacks the class."""
        laid = np.full((len(self.names), len(self.class_names)), np.nan)
        laid[self.subject, self.label] = values
        return laid


def over(above: Float64[Array, "..."], below: Real[Array, "..."]) -> Float64[Array, "..."]:
    """Divide; NaN where there is nothing to divide by."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def known(number: float) -> float | None:
    """NaN as `None`, since JSON has no NaN."""
    return None if np.isnan(number) else float(number)


def group_windows(
    embedded: Float[Array, "window feature"],
    labels: Int[Array, "label"],  # axes named apart: that they are as long is checked below
    subjects: Int[Array, "code"],
    names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> SubjectGroups:
    """Check embeddings and group them; see `measure_geometry` for the arguments.

    Lengths that differ from 1 by no more than rounding are divided out, so that cosines stay
    within [-1, 1] and squared distances are exactly 2 minus twice the cosine.
    """
    if embedded.ndim != 2 or not len(embedded) == len(labels) == len(subjects):
        raise EvaluationError(
            f"embeddings of shape {embedded.shape} with {len(labels)} label(s) and "
            f"{len(subjects)} subject code(s); give a row, a label and a code for each window"
        )
    codes, subject = np.unique(subjects, return_inverse=True)
    shown = subject_names(codes, names)
    classes = class_count(labels, class_names)
    shown_classes = named_classes(classes, class_names)
    _check_labels(labels, subject, shown, shown_classes)
    unit = _unit_rows(embedded, subject, shown)
    group = subject.astype(np.int64) * classes + labels.astype(np.int64)
    order = np.argsort(group, kind="stable")
    present, starts, windows = np.unique(group[order], return_index=True, return_counts=True)
    return SubjectGroups(
        names=shown,
        class_names=shown_classes,
        embedded=unit[order],
        of_window=np.repeat(np.arange(len(present)), windows),
        subject=present // classes,
        label=present % classes,
        windows=windows.astype(np.int64),
        starts=starts.astype(np.int64),
    )


def subject_names(codes: Int[Array, "subject"], names: Sequence[str] | None) -> tuple[str, ...]:
    """The name of each subject by code; the code itself where no names are given."""
    if names is None:
        return tuple(map(str, codes.tolist()))
    for code in codes.tolist():
        if not 0 <= code < len(names):
            raise EvaluationError(
                f"subject code {code} has no name; {len(names)} name(s) were given, for codes "
                f"from 0 to {len(names) - 1}"
            )
    shown = tuple(names[code] for code in codes.tolist())
    if twice := [name for name in shown if shown.count(name) > 1]:
        raise EvaluationError(
            f"subject {twice[0]}: {shown.count(twice[0])} codes have this name; give each subject "
            "one code"
        )
    return shown


def _check_labels(
    labels: Int[Array, "window"],
    subject: Int[Array, "window"],
    names: tuple[str, ...],
    class_names: tuple[str, ...],
) -> None:
    foreign = np.flatnonzero((labels < 0) | (labels >= len(class_names)))
    if foreign.size:
        row = int(foreign[0])
        expected = ", ".join(f"{at} ({name})" for at, name in enumerate(class_names))
        raise EvaluationError(
            f"window {row} of subject {names[subject[row]]}: label {int(labels[row])}, expected "
            f"one of {expected}; {foreign.size} such window(s), leave them out"
        )
    present = np.unique(labels).tolist()
    if len(present) < 2:
        lacking = ", ".join(name for at, name in enumerate(class_names) if at not in present)
        raise EvaluationError(
            f"no {lacking} window among {len(labels)} window(s) of {len(names)} subject(s); "
            f"classes can be compared only where two or more occur, add subjects with {lacking}"
        )


def _unit_rows(
    embedded: Float[Array, "window feature"], subject: Int[Array, "window"], names: tuple[str, ...]
) -> Float64[Array, "window feature"]:
    with np.errstate(invalid="ignore"):  # a signalling NaN of a damaged file is named below
        rows = embedded.astype(np.float64)
    length = np.sqrt(np.einsum("wf,wf->w", rows, rows))
    for wrong, what, remedy in (
        (~np.isfinite(length), "NaN or infinite values", "look for a diverged training run"),
        (np.abs(length - 1) > UNIT_TOLERANCE, "length {:.6g}, expected 1", "normalise them first"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise EvaluationError(
                f"window {row} of subject {names[subject[row]]}: embedding has "
                f"{what.format(length[row])}; {int(wrong.sum())} such window(s), {remedy}"
            )
    rows /= length[:, None]
    return np.asarray(rows)


def mean_squared_distances(groups: SubjectGroups) -> Float64[Array, "group group"]:
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
    groups: SubjectGroups, drawn: Int64[Array, "drawn"]
) -> Float64[Array, "group group"]:
    """Mean exp(-t |x-y|^2) over pairs of the `drawn` windows of two groups, a tile at a time.

    `drawn` is sorted, with windows of each group. No window is paired with itself; a group of
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
    groups: SubjectGroups, chosen: Int64[Array, "chosen"]
) -> Float64[Array, "pair"]:
    """Cosine of each two of the `chosen` groups' centroids; a zero centroid has no direction."""
    centroids = groups.means(groups.embedded)[chosen]
    lengths = np.linalg.norm(centroids, axis=1)
    directions = centroids[lengths > ROUNDING] / lengths[lengths > ROUNDING, None]
    every_two = np.triu_indices(len(directions), k=1)
    return np.asarray((directions @ directions.T)[every_two].clip(-1, 1))


def draw_windows(
    groups: SubjectGroups, per_group: int, generator: np.random.Generator
) -> Int64[Array, "drawn"]:
    """Rows of at most `per_group` windows of each group, drawn without replacement, sorted."""
    shuffled = np.lexsort((generator.random(len(groups.embedded)), groups.of_window))
    place = np.arange(len(shuffled)) - groups.starts[groups.of_window]
    return np.sort(shuffled[place < per_group])

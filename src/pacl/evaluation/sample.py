"""A sample of windows in which every subject and every class is represented."""

import numpy as np
import torch

from pacl.axes import Array, Int, Int64
from pacl.training import LabelledWindows

SEED = 0
"""The same sample for all runs on the same windows, so that they are scored alike."""


def sample_windows(windows: LabelledWindows, most: int) -> LabelledWindows:
    """Some of the windows, drawn once; the same ones where there are no more than `most`.

    See `sample_rows`.
    """
    if len(windows) <= most:
        return windows
    labels, subjects = windows.labels.cpu().numpy(), windows.subjects.cpu().numpy()
    rows = sample_rows(labels, subjects, most, np.random.default_rng(SEED))
    return windows.only(torch.from_numpy(rows).to(windows.device))


def sample_rows(
    labels: Int[Array, "window"],
    subjects: Int[Array, "window"],
    most: int,
    generator: np.random.Generator,
) -> Int64[Array, "row"]:
    """Draw at most `most` windows without replacement; their rows, rising.

    Each class of each subject has its share of the windows, and at least one. If there are more
    classes of subjects than `most`, there is one window of each: then the sample is larger.

    Examples
    --------
    >>> labels, subjects = np.array([0, 0, 0, 0, 0, 0, 1]), np.array([5, 5, 5, 5, 8, 8, 8])
    >>> rows = sample_rows(labels, subjects, 4, np.random.default_rng(0))
    >>> labels[rows], subjects[rows]
    (array([0, 0, 0, 1]), array([5, 5, 8, 8]))
    """
    kinds = np.stack([subjects, labels], axis=1)
    _, kind, counts = np.unique(kinds, axis=0, return_inverse=True, return_counts=True)
    wanted = _shares(counts, most)
    drawn = generator.permutation(len(labels))
    drawn = drawn[np.argsort(kind.ravel()[drawn], kind="stable")]
    place = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows: Int64[Array, "row"] = np.sort(drawn[place < np.repeat(wanted, counts)])
    return rows


def _shares(counts: Int[Array, "kind"], most: int) -> Int64[Array, "kind"]:
    """How many windows of each kind: in proportion, at least one, `most` in all where possible."""
    if counts.sum() <= most:
        return counts.astype(np.int64)
    # Kinds with less than one window in proportion get one; the others share what is left.
    found = np.ones(len(counts), dtype=np.int64)
    large = np.ones(len(counts), dtype=bool)
    while True:
        left = most - np.count_nonzero(~large)
        exact = counts * (max(left, 0) / max(1, counts[large].sum()))
        small = large & (exact < 1)
        if not small.any():
            break
        large &= ~small
    found[large] = np.floor(exact[large])
    rest = most - int(found.sum())
    if rest > 0:  # to those that were cut most
        cut = np.where(large, exact - found, -1.0)
        found[np.argsort(-cut, kind="stable")[:rest]] += 1
    return found

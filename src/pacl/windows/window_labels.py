"""One label for a window whose samples have labels."""

from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, Int32

Mixed = Literal["drop", "majority"]
"""What becomes of a window with samples of several classes."""


def window_labels(
    labels: Int32[Array, "window time"], mixed: Mixed
) -> tuple[Int32[Array, "kept"], Bool[Array, "window"]]:
    """The label of each window that is kept, and which are.

    The class of most samples is that of the smallest number, where two have the same.

    Examples
    --------
    >>> labels = np.array([[1, 1, 1], [0, 2, 2]], dtype=np.int32)
    >>> window_labels(labels, "majority")
    (array([1, 2], dtype=int32), array([ True,  True]))
    >>> window_labels(labels, "drop")
    (array([1], dtype=int32), array([ True, False]))
    """
    if mixed == "drop":
        kept = (labels == labels[:, :1]).all(axis=1)
        return np.ascontiguousarray(labels[kept, 0]), kept
    ordered = np.sort(labels, axis=1)
    # How many equal samples end at each place: the longest run of them is the class of most.
    new = np.ones(ordered.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    begins = np.maximum.accumulate(np.where(new, np.arange(ordered.shape[1]), 0), axis=1)
    most = np.argmax(np.arange(ordered.shape[1]) - begins, axis=1)
    return ordered[np.arange(len(ordered)), most], np.ones(len(labels), dtype=bool)

"""The table of windows of any signal: one row per window."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, Int32, Int64
from pacl.stored import Refuse
from pacl.windows.columns import read_columns, write_columns
from pacl.windows.errors import prepare_again
from pacl.windows.names import Names

NAMED = ("subject", "record", "split")
Mixed = Literal["drop", "majority"]
"""What becomes of a window with samples of several classes."""
TYPES: dict[str, type] = {**dict.fromkeys(NAMED, str), "start": np.int64}


@dataclass(frozen=True, eq=False, slots=True)
class WindowTable:
    """The rows of a window set.

    Parameters
    ----------
    subject
        Whose window it is.
    record
        The recording it is from.
    split
        Its part.
    label
        Its class, or the class of each of its samples: numbers of the class names.
    start
        Its first sample in the recording.
    """

    subject: Names
    record: Names
    split: Names
    label: Int32[Array, "window"] | Int32[Array, "window time"]
    start: Int64[Array, "window"]

    def __len__(self) -> int:
        return int(self.start.size)

    def __getitem__(self, rows: Array) -> "WindowTable":
        """Some of the rows, by mask or by number."""
        named = {name: getattr(self, name)[rows] for name in NAMED}
        return WindowTable(**named, label=self.label[rows], start=self.start[rows])

    @property
    def labels(self) -> Int64[Array, "window"] | Int64[Array, "window time"]:
        """The class of each window, or of each of its samples."""
        return self.label.astype(np.int64)

    @property
    def per_sample(self) -> bool:
        """Whether each sample has a label."""
        return self.label.ndim == 2

    def valid(self, classes: int) -> bool:
        """Whether each row has a subject, a record, a part and one of so many classes."""
        named = all(getattr(self, name).valid for name in NAMED)
        return named and bool(np.all((self.label >= 0) & (self.label < classes)))

    def write(self, path: Path, **more: Array) -> None:
        """Write the rows, and `more` columns beside them, as parquet; labels of samples not."""
        columns = {name: getattr(self, name) for name in TYPES}
        if not self.per_sample:
            columns["label"] = self.label
        write_columns(path, columns | more)

    @classmethod
    def read(
        cls,
        path: Path,
        rows: int | None = None,
        refuse: Refuse = prepare_again,
        *,
        sample_labels: Int32[Array, "window time"] | None = None,
    ) -> "WindowTable":
        """Read the rows back; refuses another number of them, where it is known.

        `sample_labels` are the labels of samples, which are not in the table.
        """
        types = TYPES if sample_labels is not None else {**TYPES, "label": np.int32}
        columns = read_columns(path, types, refuse, rows=rows)
        return cls(**{"label": sample_labels, **columns})

    def count(self, class_names: Sequence[str]) -> dict[str, dict[str, int]]:
        """Windows of each class in each part; of labels of samples, those that have the class."""
        found = {}
        for part in self.split.present():
            mine = self.label[self.split.is_(part)]
            of_window = mine.reshape(len(mine), -1)
            found[part] = {
                name: int(np.count_nonzero((of_window == number).any(axis=1)))
                for number, name in enumerate(class_names)
            }
        return found


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

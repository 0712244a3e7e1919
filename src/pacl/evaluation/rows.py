"""The rows of a written evaluation: subject, recording, part and class of each window."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Int64
from pacl.evaluation.errors import EvaluationError, evaluate_again
from pacl.stored import read_table
from pacl.windows import Names, read_columns

if TYPE_CHECKING:
    import pyarrow as pa

FORMER = {"subject": "patient", "label": "rhythm"}
"""What some kinds of window sets call these columns."""
TYPES: dict[str, type] = {
    "subject": str,
    "record": str,
    "split": str,
    "label": np.int64,
    "start": np.int64,
}


@dataclass(frozen=True, eq=False, slots=True)
class StoredRows:
    """One row per window; columns of the window set that evaluation does not use are kept.

    Parameters
    ----------
    columns
        All columns of the window set, as they were written.
    """

    subject: Names
    record: Names
    split: Names
    labels: Int64[Array, "window"]
    start: Int64[Array, "window"]
    columns: "pa.Table"

    def __len__(self) -> int:
        return int(self.start.size)

    def __getitem__(self, rows: Array) -> "StoredRows":
        """Some of the rows, by mask or by number."""
        numbers = np.arange(len(self))[rows]
        return StoredRows(
            self.subject[rows],
            self.record[rows],
            self.split[rows],
            self.labels[rows],
            self.start[rows],
            self.columns.take(numbers),
        )

    def write(self, path: Path, **more: Array) -> None:
        """Write the rows as they were, and `more` columns beside them, as parquet."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        written = self.columns
        for name, values in more.items():
            written = written.append_column(name, pa.array(values))
        pq.write_table(written, path)

    @classmethod
    def read(cls, path: Path, beside: Sequence[str] = ()) -> "StoredRows":
        """Read the rows; columns that begin with one of `beside` are not of the window set."""
        columns = read_table(path, {}, evaluate_again)
        called = {
            name: former if name not in columns.column_names and former else name
            for name, former in ((name, FORMER.get(name)) for name in TYPES)
        }
        types = {called[name]: kind for name, kind in TYPES.items()}
        found: dict[str, Any] = read_columns(path, types, evaluate_again)
        subject, record, split, labels, start = (found[called[name]] for name in TYPES)
        if not all(names.valid for names in (subject, record, split)) or (labels < 0).any():
            raise _out_of_range(path)
        others = [name for name in columns.column_names if name.startswith(tuple(beside))]
        return cls(subject, record, split, labels, start, columns.drop_columns(others))


def _out_of_range(path: Path) -> EvaluationError:
    return evaluate_again(path, "names or labels out of range")

"""The table of a window set: one row per window."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32, Float64, Int8, Int32, Int64
from pacl.records import Rhythm
from pacl.stored import Refuse
from pacl.windows import Names, prepare_again, read_columns, write_columns

TYPES: dict[str, type] = {
    "patient": str,
    "record": str,
    "split": str,
    "episode": np.int32,
    "rhythm": np.int8,
    "start": np.int64,
    "raw_start": np.int32,
    "raw_stop": np.int32,
    "onset_s": np.float64,
    "to_onset_s": np.float32,
    "centre_ms": np.float32,
    "scale_ms": np.float32,
}
"""Columns of a table: names, or numbers of a type."""


@dataclass(frozen=True, eq=False, slots=True)
class RRWindowTable:
    """The rows of a window set.

    Parameters
    ----------
    split
        Its part.
    episode
        Number of the AF run of the record that it belongs to, or -1.
    rhythm
        Its label: `Rhythm.SR` or `Rhythm.AF`.
    start
        First beat, counted in the beats of the set.
    raw_start, raw_stop
        First and one-past-last beat, counted in the record.
    onset_s
        When it begins, in seconds of the recording.
    to_onset_s
        Seconds from its end to the AF that follows, NaN where none does.
    centre_ms, scale_ms
        Its scaling (Eq. 4).
    """

    patient: Names
    record: Names
    split: Names
    episode: Int32[Array, "window"]
    rhythm: Int8[Array, "window"]
    start: Int64[Array, "window"]
    raw_start: Int32[Array, "window"]
    raw_stop: Int32[Array, "window"]
    onset_s: Float64[Array, "window"]
    to_onset_s: Float32[Array, "window"]
    centre_ms: Float32[Array, "window"]
    scale_ms: Float32[Array, "window"]

    def __len__(self) -> int:
        return int(self.start.size)

    def __getitem__(self, rows: Array) -> "RRWindowTable":
        """Some of the rows, by mask or by number."""
        return RRWindowTable(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    @property
    def subject(self) -> Names:
        """The patient: whose window it is."""
        return self.patient

    @property
    def labels(self) -> Int64[Array, "window"]:
        """The rhythm as a number: 0 for SR, 1 for AF."""
        return self.rhythm.astype(np.int64)

    @property
    def valid(self) -> bool:
        """Whether each row has a patient, a record, a part and a label."""
        named = all(column.valid for column in (self.patient, self.record, self.split))
        return named and bool(np.isin(self.rhythm, (Rhythm.SR, Rhythm.AF)).all())

    def write(self, path: Path, **more: Array) -> None:
        """Write the rows, and `more` columns beside them, as parquet; names become dictionaries."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        write_columns(path, columns | more)

    @classmethod
    def read(
        cls, path: Path, rows: int | None = None, refuse: Refuse = prepare_again
    ) -> "RRWindowTable":
        """Read the rows back; refuses another number of them, where it is known."""
        return cls(**read_columns(path, TYPES, refuse, rows=rows))

"""Reader for IRIDIA-AF v1.0.1 (Gilon et al., 2023; Zenodo 8405941) and what is laid out like it.

```
iridia-af-metadata-v1.0.1.csv           one row per record: patient_id, record_id, record_files, ...
iridia-af-records-v1.0.1/
    record_006/
        record_006_rr_00.h5             dataset `rr`, ms; one file a day, up to four
        record_006_rr_01.h5
        record_006_rr_labels.csv        one row per AF episode, indexes local to its files
```

A patient may have several records, so the folder name is not the unit to split by.
"""

import os
import re
from collections.abc import Collection
from copy import copy
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from pacl.axes import Array, Int64, Real
from pacl.records.content import MAX_BEATS, digest, listing, read_bytes
from pacl.records.errors import FormatError, LayoutError, RhythmError, ValueRangeError
from pacl.records.iridia_files import RECORD_FOLDER, find_folders, find_metadata, unread_beside
from pacl.records.reader import check_known
from pacl.records.record import Record, check_rr
from pacl.records.rhythm import Rhythm, Span, tile
from pacl.records.table import MAX_TABLE_BYTES, Row, read_table
from pacl.records.tree import left_out_lines

CALIBRATION_S = 30.0
"""Each recording begins with this much calibration signal; its RR are not heart beats."""

MAX_FILE_BYTES = 256 * 1024**2
"""`MAX_BEATS` intervals of 8 bytes, and more than twice that for the structure of HDF5."""

_LABELS = ("start_file_index", "start_rr_index", "end_file_index", "end_rr_index")


class IridiaReader:
    """Records in IRIDIA-AF's layout, several files and several records of a patient included.

    Opening compares folders with the metadata; reading joins a record's files, checks their number
    against the metadata, and adds its AF episodes, also those that cross files.

    Parameters
    ----------
    root
        The folder of the data set, of the records (also in a second folder of the same name), or of
        one record.
    metadata
        The metadata CSV; by default the one found at `root` or one or two levels above the records.
    partial
        Read an incomplete data set: rows without a folder are ignored.
    """

    def __init__(
        self, root: Path | str, *, metadata: Path | str | None = None, partial: bool = False
    ) -> None:
        root = Path(root)
        _check_h5py(root)
        with listing(root):
            self.root, folders = find_folders(root)
            only_one = bool(RECORD_FOLDER.fullmatch(root.resolve().name))
            self.metadata = Path(metadata) if metadata else find_metadata(root, self.root)
            unread = {} if only_one else unread_beside(root, self.root, folders, self.metadata)
        content = read_bytes(self.metadata, MAX_TABLE_BYTES)
        columns = ("patient_id", "record_id", "record_files")
        self._rows: dict[str, Row] = {}
        for row in read_table(content, self.metadata, columns, "metadata"):
            if not row["patient_id"] or not row["record_id"]:
                raise LayoutError(
                    self.metadata,
                    f"line {row.line}: a record without a name or without a patient",
                    "name both: data are split by patient",
                )
            if row["record_id"] in self._rows:
                raise LayoutError(
                    self.metadata,
                    f"line {row.line}: record {row['record_id']!r} appears twice",
                    "keep one row per record",
                )
            self._rows[row["record_id"]] = row
        self._check_complete(folders, only_one or partial)
        self._folders = frozenset(folders)
        self.record_ids = tuple(folders)
        self.left_out = left_out_lines(unread)

    def narrowed(self, record_ids: Collection[str]) -> "IridiaReader":
        """The same reader of these records alone."""
        found = copy(self)
        found._rows = {one: self._rows[one] for one in record_ids}
        found._folders = frozenset(record_ids)
        found.record_ids, found.left_out = tuple(sorted(record_ids)), ()
        return found

    def moved(self, root: Path, metadata: Path | None = None) -> "IridiaReader":
        """The same reader of records that lie elsewhere now, and the metadata as well."""
        found = copy(self)
        found.root = root
        if metadata is not None:
            found.metadata = metadata
            rows = self._rows.items()
            found._rows = {name: replace(row, source=metadata) for name, row in rows}
        return found

    def read(self, record_id: str) -> Record:
        """Join the files of one record, and add its AF episodes."""
        check_known(record_id, self._folders, self)
        folder = self.root / record_id
        row = self._rows[record_id]
        paths = self._rr_paths(folder, record_id, row.integer("record_files"))
        files: list[Real[Array, "_"]] = []
        for path in paths:
            files.append(_read_rr(path, MAX_BEATS - sum(rr.size for rr in files)))
        lengths = np.array([rr.size for rr in files])
        offsets = np.cumsum(lengths) - lengths
        seconds = np.array([0.0, *(float(rr.sum()) / 1000 for rr in files[:-1])])
        labels = folder / f"{record_id}_rr_labels.csv"
        label_bytes = read_bytes(labels, MAX_TABLE_BYTES)
        episodes = _read_episodes(label_bytes, labels, lengths, offsets)
        dtype = np.int32 if all(rr.dtype.kind in "iu" for rr in files) else np.float32
        rr_ms = np.concatenate(files, dtype=dtype, casting="unsafe")
        # The intervals, not the bytes of the file: compressing it again changes nothing.
        parts: list[tuple[str, bytes | memoryview]] = [
            ("patient_id", row["patient_id"].encode()),
            ("files", str(lengths.tolist()).encode()),
        ]
        parts += [("rr", rr_ms.data), (labels.name, label_bytes)]
        return Record(
            patient_id=row["patient_id"],
            record_id=record_id,
            rr_ms=rr_ms,
            file_starts=offsets,
            file_onset_s=np.cumsum(seconds),
            spans=tile(episodes, int(lengths.sum()), between=Rhythm.SR),
            digest=digest(parts),
            source=str(folder),
            started=_start_time(row),
            lead_in_s=CALIBRATION_S,
        )

    def files_of(self, record_id: str) -> tuple[Path, ...]:
        """The files of one record, and the metadata of all."""
        check_known(record_id, self._folders, self)
        folder = self.root / record_id
        count = self._rows[record_id].integer("record_files")
        labels = folder / f"{record_id}_rr_labels.csv"
        return (*self._rr_paths(folder, record_id, count), labels, self.metadata)

    def _check_complete(self, folders: list[str], partial: bool) -> None:
        unknown = [name for name in folders if name not in self._rows]
        if unknown:
            raise LayoutError(
                self.root,
                f"{len(unknown)} record folder(s) without a row in {self.metadata.name}: "
                f"{', '.join(unknown[:5])}",
                "without a row their patient is not known: add it or move the folder away",
            )
        there = set(folders)
        missing = [name for name in self._rows if name not in there]
        if missing and not partial:
            raise LayoutError(
                self.root,
                f"{len(missing)} row(s) of {self.metadata.name} without a record folder: "
                f"{', '.join(missing[:5])}",
                "fetch them, or read what is there with partial=True (--partial)",
            )

    @staticmethod
    def _rr_paths(folder: Path, record_id: str, count: int) -> list[Path]:
        with listing(folder):
            names = sorted(os.listdir(folder))  # noqa: PTH208 - several times faster
        rr_file = re.compile(rf"{record_id}_rr_.*\.h5")
        present = [name for name in names if rr_file.fullmatch(name)]
        wanted = [f"{record_id}_rr_{index:02d}.h5" for index in range(min(count, 100))]
        if present != wanted or not wanted:
            raise LayoutError(
                folder,
                f"the metadata state {count} RR file(s) counted from 00, there are {present}",
                "fetch the missing files or correct record_files",
            )
        return [folder / name for name in wanted]


def _check_h5py(root: Path) -> None:
    """Refuse records before any is read where the package for their files is missing."""
    try:
        import h5py  # noqa: F401 - only whether it is there
    except ModuleNotFoundError as error:
        raise FormatError(
            root,
            "records of IRIDIA-AF are HDF5 files, which need h5py, and it is not installed",
            "install it: pip install 'pacl[iridia]'",
        ) from error


def _read_rr(path: Path, most: int) -> Real[Array, "beat"]:
    """Intervals of one file, as wide as they are kept there."""
    from pacl.records.hdf5 import read_array

    content = read_bytes(path, MAX_FILE_BYTES)
    rr = read_array(path, "rr", content, most, ndim=1, numbers="number")
    if not rr.size:
        raise FormatError(path, "no RR interval in it", "fetch the file again")
    widest = np.iinfo(np.int32).max
    thinned = np.sort(rr[:: rr.size // 200 + 1])
    typical = float(thinned[thinned.size // 2])
    # As unsigned numbers, those below 0 are too large as well: one pass instead of two.
    if rr.dtype == np.int64 and rr.view(np.uint64).max() <= widest and 20 <= typical <= 10_000:
        return rr
    check_rr(rr, str(path))
    if rr.max() > widest or not 20 <= typical <= 10_000:
        raise ValueRangeError(
            path,
            f"median RR of {typical:g}, the largest {rr.max():g}: these are not milliseconds",
            "convert the intervals to ms",
        )
    return rr


def _read_episodes(
    content: bytes, path: Path, lengths: Int64[Array, "file"], offsets: Int64[Array, "file"]
) -> list[Span]:
    """AF episodes as spans over all files: from the start index to the end index, exclusive."""
    episodes: list[Span] = []
    for row in read_table(content, path, _LABELS, "rr labels"):
        first_file, start, last_file, stop = (row.integer(name) for name in _LABELS)
        for file, index in ((first_file, start), (last_file, stop)):
            if not 0 <= file < lengths.size or not 0 <= index <= lengths[file]:
                raise RhythmError(
                    path,
                    f"line {row.line}: beat {index} of file {file} lies beyond the record, which "
                    f"has files of {lengths.tolist()} beats",
                    "fetch RR and labels of the same version",
                )
        span = Span(
            int(offsets[first_file]) + start, int(offsets[last_file]) + stop, Rhythm.AF, "AF"
        )
        if span.stop < span.start or (episodes and span.start < episodes[-1].stop):
            raise RhythmError(
                path,
                f"line {row.line}: an episode that ends before it starts or overlaps the one "
                "before",
                "sort and separate the episodes",
            )
        episodes.append(span)
    return episodes


def _start_time(row: Row) -> datetime | None:
    text = row.get("record_start_time")
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        raise FormatError(
            row.source,
            f"line {row.line}: record_start_time {text!r} is not a date",
            "write it as 2012-10-02T10:50:11",
        ) from None

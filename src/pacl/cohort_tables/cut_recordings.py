"""Windows of recordings, cut by any workers and kept in parts, for `pacl prepare`."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.cohort import CohortProtocol
from pacl.cohort_tables.folder import TablesFolder, no_tables
from pacl.cohort_tables.kind import Rows, common, common_of
from pacl.cohort_tables.make import make_tables
from pacl.errors import PaclError
from pacl.records import Reader, ReadOptions, Record
from pacl.rr import Cut, CutRecord, RecordWindows, Unreadable, cut_windows
from pacl.stored import parse_json
from pacl.work import Workers

if TYPE_CHECKING:
    import pyarrow as pa

RECORDINGS, BEATS, WINDOWS = "recordings", "beats", "windows"
OF_BEATS = {"rr_ms": "float32", "raw_index": "int32", "beat_rhythm": "int8"}
OF_WINDOWS = {
    "start": "int64",
    "rhythm": "int8",
    "episode": "int32",
    "onset_s": "float64",
    "to_onset_s": "float32",
    "centre_ms": "float32",
    "scale_ms": "float32",
}
OTHERS = {
    "scale_beats": tuple[tuple[int, int], ...],
    "beats": dict[str, int],
    "dropped": dict[str, int],
}
"""Of a recording; kept as JSON."""


@dataclass(frozen=True, slots=True)
class CutTables:
    """The windows of each recording, by a protocol."""

    protocol: CohortProtocol
    cut: Cut

    command = "prepare"

    def schemas(self) -> "Mapping[str, pa.Schema]":
        """Columns of each table."""
        import pyarrow as pa

        counts = [("kept_beats", pa.int64()), ("windows", pa.int64())]
        return {
            RECORDINGS: pa.schema([*common(), *counts, *((name, pa.string()) for name in OTHERS)]),
            BEATS: pa.schema([(name, pa.from_numpy_dtype(one)) for name, one in OF_BEATS.items()]),
            WINDOWS: pa.schema(
                [(name, pa.from_numpy_dtype(one)) for name, one in OF_WINDOWS.items()]
            ),
        }

    def settings(self) -> Mapping[str, Any]:
        """All that the rows depend on."""
        rule: Any = self.protocol  # a dataclass
        return {"protocol": {"name": type(rule).__name__, **asdict(rule)}, "cut": asdict(self.cut)}

    def open(self) -> "CutTables":
        """Nothing needs to be loaded."""
        return self

    def rows(self, reader: Reader, record: Record) -> Rows:
        """Cut a recording."""
        import pyarrow as pa

        schemas = self.schemas()
        found = cut_windows(record, self.protocol.select(record), **asdict(self.cut))
        row = common_of(record) | {"kept_beats": found.rr_ms.size, "windows": found.start.size}
        row |= {name: json.dumps(getattr(found, name)) for name in OTHERS}
        tables = {RECORDINGS: pa.Table.from_pylist([row], schema=schemas[RECORDINGS])}
        for table, names in ((BEATS, OF_BEATS), (WINDOWS, OF_WINDOWS)):
            columns = {name: getattr(found, name) for name in names}
            tables[table] = pa.Table.from_pydict(columns, schema=schemas[table])
        return tables


def cut_by_workers(
    target: Path,
    paths: Path,
    read: ReadOptions | None,
    workers: Workers,
    *,
    on_reader: Callable[[Reader], None] = lambda reader: None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Callable[[CohortProtocol, Cut], Iterator[CutRecord | Unreadable]]:
    """How `prepare` has recordings cut by workers; parts are kept in a folder until it is done."""

    def cut_all(protocol: CohortProtocol, cut: Cut) -> Iterator[CutRecord | Unreadable]:
        made = make_tables(
            target,
            CutTables(protocol, cut),
            [paths],
            workers=workers,
            read=read,
            retry_failed=True,
            on_reader=on_reader,
            advance=advance,
        )
        return stored_cuts(made.folder)

    return cut_all


def stored_cuts(folder: TablesFolder) -> Iterator[CutRecord | Unreadable]:
    """The windows of each recording, in order; the reason for each that could not be read."""
    parts = zip(*(folder.batches(name) for name in (RECORDINGS, BEATS, WINDOWS)), strict=True)
    for recordings, beats, windows in parts:
        at_beat = at_window = 0
        for row in recordings.to_pylist():
            if row["error"] is not None:
                yield Unreadable(row["record"], PaclError(row["error"]))
                continue
            kept = beats.slice(at_beat, row["kept_beats"])
            cut = windows.slice(at_window, row["windows"])
            at_beat, at_window = at_beat + row["kept_beats"], at_window + row["windows"]
            columns: dict[str, Any] = {
                name: np.ascontiguousarray(table.column(name).to_numpy())
                for table, names in ((kept, OF_BEATS), (cut, OF_WINDOWS))
                for name in names
            }
            columns |= {
                name: parse_json(row[name].encode(), folder.path, kind, no_tables)
                for name, kind in OTHERS.items()
            }
            found = RecordWindows(**{one.name: columns[one.name] for one in fields(RecordWindows)})
            yield CutRecord(row["record"], row["patient"], row["digest"], found)

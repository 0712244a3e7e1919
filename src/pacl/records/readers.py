"""Readers by the name of their layout, also those of other packages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pacl.records.errors import FormatError, LayoutError, RecordError
from pacl.records.options import ReadOptions
from pacl.records.reader import Reader, narrowed
from pacl.records.record import Record
from pacl.registry import Entry, Registry, RegistryError, located
from pacl.settings import SettingsError, Words, settled


def _open(layout: str, options: ReadOptions, *, path: Path) -> Reader:
    reader: Reader = located("pacl.records.open:open_records")(
        path, replace(options, layout=layout)
    )
    return reader


_SUMMARIES = {
    "iridia": "IRIDIA-AF: record_NNN folders with HDF5 files",
    "wfdb": "WFDB: annotations (.atr, .qrs and the like), or the ECG itself (.dat)",
    "text": "RR intervals or beat times as text: .csv, .tsv, .txt, .rr",
    "ecg": "ECG signals: EDF, or samples as text",
    "export": "exports of watches and apps: FIT, Apple Health, JSON, zip",
}

READERS: Registry[Reader] = Registry(
    "layout",
    "pacl.readers",
    {
        name: Entry(name, partial(_open, name), ReadOptions, summary)
        for name, summary in _SUMMARIES.items()
    },
)
"""From files to recordings. A factory takes the settings and `path`, and gives a `Reader`."""


MEMBERS = ("root", "record_ids", "left_out", "read")
"""What a reader has."""


def open_named(path: Path, layout: str, given: Mapping[str, Sequence[str]]) -> Reader:
    """The recordings at a path, by the reader of another package; `given` are its settings."""
    words = {key.replace("-", "_"): Words(tuple(value)) for key, value in given.items()}
    try:
        entry = READERS.named(layout)
        settings = settled(entry.settings, words)
    except RegistryError as error:
        raise LayoutError(
            path, str(error), "choose another --layout (arrays is for pacl prepare alone)"
        ) from error
    except SettingsError as error:
        wrong = "; ".join(f"--reader.{one}" for one in error.problems)
        raise LayoutError(
            path, f"settings of the layout {layout}: {wrong}", "correct them"
        ) from error
    made = entry.make(settings, path=path)
    if missing := [name for name in MEMBERS if not hasattr(made, name)]:
        raise LayoutError(
            path,
            f"{type(made).__name__}, the reader of the layout {layout}, has no "
            + ", no ".join(missing),
            f"tell whoever wrote it: a reader has {', '.join(MEMBERS)}",
        )
    found = OtherReader(made, layout)
    if not found.record_ids:
        raise LayoutError(
            path, f"the layout {layout} finds no recording in it", "check the path and --layout"
        )
    return found


def own_reader(reader: Reader) -> Reader:
    """The reader itself, where it is one of another package."""
    return reader.theirs if isinstance(reader, OtherReader) else reader


class OtherReader:
    """The reader of another package: whatever fails in it is an error of that recording alone."""

    def __init__(self, reader: Reader, layout: str) -> None:
        self.theirs, self._layout = reader, layout
        self.root, self.record_ids = reader.root, reader.record_ids
        self.left_out = reader.left_out

    def narrowed(self, record_ids: Collection[str]) -> "OtherReader":
        """The same reader of these recordings alone, where it can be narrowed."""
        return OtherReader(narrowed(self.theirs, record_ids), self._layout)

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        try:
            return self.theirs.read(record_id)
        except RecordError:
            raise
        except Exception as error:
            raise FormatError(
                f"{self.root}: {record_id}",
                f"the reader of the layout {self._layout} failed: {type(error).__name__}: {error}",
                "check the file, or tell whoever wrote that reader",
            ) from error


def recognised_by_others(path: Path) -> str | None:
    """The layout of another package that recognises a path; one that fails does not count."""
    for name in READERS.names:
        if name in READERS.built_in:
            continue
        try:
            recognises = READERS.named(name).recognises
        except RegistryError:
            continue
        if recognises is not None and recognises(path):
            return name
    return None

"""The files that a recording is read from, and their digest: known without reading any beats."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Protocol, runtime_checkable

from pacl.file_bytes import FileError
from pacl.records.content import digest
from pacl.records.errors import FormatError
from pacl.records.joined import JoinedReader
from pacl.records.manifest_reader import DeclaredReader
from pacl.records.mixed import MixedReader
from pacl.records.options import ReadOptions
from pacl.records.reader import Reader
from pacl.records.readers import OtherReader
from pacl.stored import digest_of_file


@runtime_checkable
class FileSource(Protocol):
    """A reader that can tell which files each of its recordings is read from."""

    def files_of(self, record_id: str) -> tuple[Path, ...]:
        """All files that the recording depends on, in a fixed order; those that are there."""


@runtime_checkable
class EcgFileSource(Protocol):
    """A reader whose recordings may have an ECG in files of its own, beside their beats."""

    def ecg_files_of(self, record_id: str) -> tuple[Path, ...]:
        """The files of its ECG; those that are there."""


def record_files(reader: Reader, record_id: str) -> tuple[Path, ...] | None:
    """The files of a recording; None where its reader cannot tell, as of another package."""
    found, beside = _own_reader(reader, record_id)
    return (*found.files_of(record_id), *beside) if isinstance(found, FileSource) else None


def shown_files(reader: Reader, record_id: str) -> tuple[Path, ...]:
    """All files that can be shown of a recording: also those of an ECG beside its beats."""
    found, _ = _own_reader(reader, record_id)
    ecg = found.ecg_files_of(record_id) if isinstance(found, EcgFileSource) else ()
    return tuple(dict.fromkeys((*(record_files(reader, record_id) or ()), *ecg)))


def _own_reader(reader: Reader, record_id: str) -> tuple[Reader, tuple[Path, ...]]:
    """The reader of one recording, and the manifest that was applied."""
    beside: tuple[Path, ...] = ()
    found = reader
    while isinstance(found, DeclaredReader | JoinedReader | MixedReader | OtherReader):
        if isinstance(found, OtherReader):
            found = found.theirs
        elif isinstance(found, DeclaredReader):
            beside, found = (found.manifest.path,), found.undeclared
        else:
            found = found.of(record_id)
    return found, beside


def content_digest(files: Iterable[Path]) -> str:
    """SHA-256 over the names and bytes of files, a MiB at a time; their folders do not matter."""
    parts: list[tuple[str, bytes]] = []
    for path in files:
        try:
            parts.append((path.name, digest_of_file(path).encode()))
        except FileError as error:
            raise FormatError(path, error.what, error.remedy) from error
        except OSError as error:
            raise FormatError(
                path, f"cannot be read ({error.strerror or error})", "check the disk"
            ) from error
    return digest(parts)


def reading_digest(
    reader: Reader, record_id: str, options: ReadOptions | None = None
) -> str | None:
    """Digest of all that `reader.read(record_id)` depends on: files, name and options.

    A recording with the same digest is read to the same beats. None where the reader cannot tell
    its files: then read the recording, and use `Record.digest`.
    """
    files = record_files(reader, record_id)
    if files is None:
        return None
    options = options or ReadOptions()
    tables = {name: getattr(options, name) for name in ("patients", "metadata")}
    stated = {name: value for name, value in asdict(options).items() if name not in tables}
    parts = [("record", record_id), ("options", repr(sorted(stated.items())))]
    parts += [(name, content_digest([path])) for name, path in tables.items() if path is not None]
    parts.append(("files", content_digest(files)))
    return digest((name, value.encode()) for name, value in parts)

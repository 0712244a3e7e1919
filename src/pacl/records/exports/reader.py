"""Reader for exports of watches and apps that are not plain text: FIT, Apple Health, JSON, zip."""

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pacl.records.content import listing
from pacl.records.errors import LayoutError, RecordError
from pacl.records.exports.formats import EXPORT_ENDINGS, format_of, read_export
from pacl.records.exports.recording import Contents, Recording, as_record
from pacl.records.exports.source import Advance, source_of
from pacl.records.reader import check_known, narrowed_map, patient_of
from pacl.records.record import Record
from pacl.records.text import find_files
from pacl.records.tree import check_usable, ending, left_out_lines


class _Place(NamedTuple):
    """Its file, the name of the file, and its part where the file has several."""

    path: Path
    file: str
    part: str


@dataclass(frozen=True, slots=True)
class _Kept:
    """The content of the file that was read last, or why it has none."""

    mark: tuple[object, ...]
    contents: Contents | None
    refusal: RecordError | None


class ExportReader:
    """Files that a watch, an app or an account exports, each with one recording or several.

    A file with several gives the records `FILE/2026-04-01T21-30-05`, by their starts, or
    `FILE/2026-04-01` where short series of a day are one recording. All recordings of a file are
    of one patient, named like the file. Of a folder, files without beats are left out with the
    reason.

    Parameters
    ----------
    path
        One file, or a folder: its files that end in any of `EXPORT_ENDINGS`, also in its folders.
    patients
        Patient of each record, where the file's name is not the one.
    only
        Paths below the folder of the files to take. By default all of these endings.
    advance
        Called with the bytes that are done and all bytes while a file is read.
    allow_smoothed
        Read intervals that look resampled, averaged or computed from heart rate.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        patients: Mapping[str, str] | None = None,
        only: Collection[str] | None = None,
        advance: Advance | None = None,
        allow_smoothed: bool = False,
    ) -> None:
        self.root = Path(path)
        self._patients, self._advance, self._allow = patients, advance, allow_smoothed
        self._last: _Kept | None = None
        with listing(self.root):
            files, self.unread = find_files(self.root, only, _exports, EXPORT_ENDINGS)
        self._places: dict[str, _Place] = {}
        for record_id, place in self._listed(files, self.unread):
            if record_id in self._places:
                raise LayoutError(
                    self.root,
                    f"{self._places[record_id].path} and {place.path} both hold {record_id!r}",
                    "rename one of the files",
                )
            self._places[record_id] = place
        self.left_out = left_out_lines(self.unread)
        self.record_ids = tuple(sorted(self._places))

    def narrowed(self, record_ids: Collection[str]) -> "ExportReader":
        """The same reader of these recordings alone; it shows no progress."""
        found = copy(self)
        found._patients = narrowed_map(self._patients, record_ids)
        found._places = {one: self._places[one] for one in record_ids}
        found.record_ids, found._last, found._advance = tuple(sorted(record_ids)), None, None
        found.unread, found.left_out = {}, ()
        return found

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        check_known(record_id, self._places, self)
        path, file, part = self._places[record_id]
        check_usable(path)
        recording = self._recording(path, part)
        patient = file if self._patients is None else ""
        patient = patient or patient_of(record_id, self._patients, str(path))
        return as_record(recording, record_id, patient, str(path), allow_smoothed=self._allow)

    def files_of(self, record_id: str) -> tuple[Path, ...]:
        """The file of one recording."""
        check_known(record_id, self._places, self)
        return (self._places[record_id].path,)

    def _recording(self, path: Path, part: str) -> Recording:
        contents = self._contents(path)
        found = next((one for one in contents.recordings if one.part == part), None)
        if found is None:
            raise LayoutError(
                path, f"no recording {part!r} in it any more", "open it again: it has changed"
            )
        return found

    def _contents(self, path: Path) -> Contents:
        """All of a file; that of the last one is kept, as its next part is read next."""
        mark = _mark(path)
        if self._last is None or self._last.mark != mark:
            self._last = None  # frees the memory of the last file before the next is read
            source = source_of(path, self._advance)
            try:
                self._last = _Kept(mark, read_export(source), None)
            except RecordError as error:
                self._last = _Kept(mark, None, error)
        if self._last.contents is None:
            raise self._last.refusal or LayoutError(path, "it has no recording", "leave it out")
        return self._last.contents

    def _listed(
        self, files: Mapping[str, Path], unread: dict[str, str]
    ) -> Iterator[tuple[str, _Place]]:
        """Each recording by its name, and what is left out of its file."""
        for file, path in files.items():
            for part in self._parts(path, unread):
                yield f"{file}/{part}" if part else file, _Place(path, file, part)

    def _parts(self, path: Path, unread: dict[str, str]) -> list[str]:
        """Names of the recordings of a file; faults of one by itself are told when it is read."""
        try:
            source = source_of(path)
            if format_of(source, source.head()).is_single(source):
                return [""]
            contents = self._contents(path)
        except RecordError as error:
            if not self.root.is_dir():
                return [""]
            unread[path.relative_to(self.root).as_posix()] = f"no beats found: {error.what}"
            return []
        if self.root.is_dir():
            file = path.relative_to(self.root).as_posix()
            unread.update({f"{file}: {name}": why for name, why in contents.left_out.items()})
        else:
            unread.update(contents.left_out)
        return [one.part for one in contents.recordings]


def _mark(path: Path) -> tuple[object, ...]:
    """What changes when a file is written anew."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return (path, None)
    return (path, status.st_size, status.st_mtime_ns, status.st_ino)


def _exports(names: list[str]) -> list[str]:
    return [name for name in names if ending(name) in EXPORT_ENDINGS]

"""Reader for RR intervals in text: one per line, CSV, and what apps and monitors export."""

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

from pacl.records.content import HEAD_BYTES, digest, listing, read_bytes, read_first_bytes
from pacl.records.errors import FormatError, LayoutError, RecordError
from pacl.records.reader import check_known, narrowed_map, patient_of
from pacl.records.record import Record
from pacl.records.text.columns import names_rr
from pacl.records.text.divide import choose_part, may_divide
from pacl.records.text.files import TEXT_ENDINGS, find_files, text_files
from pacl.records.text.options import TextOptions
from pacl.records.text.parse import MAX_BYTES, Sheet, build_record, read_sheet
from pacl.records.text.start import parse_start
from pacl.records.text.table import decode, numbered_lines, read_head
from pacl.records.tree import check_usable, left_out_lines


class _Place(NamedTuple):
    """Its file, the name of the file, and its part where the file has several."""

    path: Path
    file: str
    part: str


class TextReader:
    """Text files of RR intervals, each a record, or several where a column divides it.

    A file that is divided, by patients for example, gives the records `FILE/PATIENT`.

    Parameters
    ----------
    path
        One file, or a folder: its files that end in any of `TEXT_ENDINGS`, also in its folders.
    patients
        Patient of each record, where one patient has several. By default the patient is the one a
        column names, else each record is a patient.
    only
        Paths below the folder of the files to take. By default all but README.txt and the like.
    options
        See `TextOptions`; the same for all files.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        patients: Mapping[str, str] | None = None,
        only: Collection[str] | None = None,
        **options: Any,
    ) -> None:
        self.root = Path(path)
        self._how = TextOptions(**options)
        self._patients = patients
        self._last: Sheet | None = None
        with listing(self.root):
            files, self.unread = find_files(self.root, only, text_files, TEXT_ENDINGS)
        self.left_out = left_out_lines(self.unread)
        self._places: dict[str, _Place] = {}
        for record_id, place in self._listed(files):
            if record_id in self._places:
                raise LayoutError(
                    self.root,
                    f"{self._places[record_id].path} and {place.path} both hold {record_id!r}",
                    "rename one of the files",
                )
            self._places[record_id] = place
        self.record_ids = tuple(sorted(self._places))
        start = self._how.start
        if start is not None:
            parse_start(start, str(self.root))
            if len(self.record_ids) > 1:
                raise LayoutError(
                    self.root,
                    f"start={start!r} was given, but there are {len(self.record_ids)} recordings",
                    "give the start of one recording at a time (--start)",
                )

    def narrowed(self, record_ids: Collection[str]) -> "TextReader":
        """The same reader of these recordings alone."""
        found = copy(self)
        found._patients = narrowed_map(self._patients, record_ids)
        found._places = {one: self._places[one] for one in record_ids}
        found.record_ids, found._last = tuple(sorted(record_ids)), None
        found.unread, found.left_out = {}, ()
        return found

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        check_known(record_id, self._places, self)
        path, file, name = self._places[record_id]
        check_usable(path)
        sheet = self._sheet(path)
        part = choose_part(sheet.parts, name or None, str(path))
        patient = part.owner(file)
        if self._patients is not None:
            patient = patient_of(record_id, self._patients, str(path))
        return build_record(sheet, part, str(path), self._how, record_id, patient)

    def files_of(self, record_id: str) -> tuple[Path, ...]:
        """The file of one recording."""
        check_known(record_id, self._places, self)
        return (self._places[record_id].path,)

    def _sheet(self, path: Path) -> Sheet:
        """The table of a file; one that is divided is kept, as its next part is read next."""
        content = read_bytes(path, MAX_BYTES)
        if self._last is not None and self._last.digest == digest([("text", content)]):
            return self._last
        sheet = read_sheet(content, str(path), self._how)
        self._last = sheet if len(sheet.parts) > 1 else None
        return sheet

    def _listed(self, files: Mapping[str, Path]) -> Iterator[tuple[str, _Place]]:
        """Each recording by its name: the file, and the part where a file has several."""
        for file, path in files.items():
            for part in self._parts(path):
                yield f"{file}/{part}" if part else file, _Place(path, file, part)

    def _parts(self, path: Path) -> list[str]:
        """Names of the recordings of a file; faults are reported when it is read."""
        try:
            head = decode(read_first_bytes(path, HEAD_BYTES), str(path))
            lines, _ = numbered_lines(head, str(path))
            if may_divide(read_head(lines).names, self._how.patient_column):
                return list(read_sheet(read_bytes(path, MAX_BYTES), str(path), self._how).parts)
        except RecordError:
            pass
        return [""]


def check_head(path: Path, how: TextOptions) -> None:
    """Raise a `FormatError` where a file has no RR intervals; only its start is checked.

    Where a column is named like RR intervals, or none has a name, intervals that are wrong are no
    `FormatError`: the file is a recording, and reading it reports what is wrong.
    """
    content = read_bytes(path, MAX_BYTES)
    head = content[: content.rfind(b"\n", 0, HEAD_BYTES) + 1] if len(content) > HEAD_BYTES else b""
    for some in (head, content):
        names: tuple[str, ...] = ()
        try:
            if some:
                sheet = read_sheet(some, str(path), how)
                names = sheet.table.names
                first = next(iter(sheet.parts.values()))
                build_record(sheet, first, str(path), how, path.stem, path.stem)
                return
        except FormatError:
            if some is content:
                raise
        except RecordError as error:
            if not names or names_rr(names) or how.column is not None:
                return
            raise FormatError(path, error.what, error.remedy) from error
    raise FormatError(path, "the file is empty", "leave the file out")

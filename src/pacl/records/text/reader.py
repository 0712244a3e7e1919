"""Reader for RR intervals in text: one a line, CSV, and what apps and monitors export."""

from collections.abc import Mapping
from pathlib import Path

from pacl.records.content import digest, listing, read_bytes, read_first_bytes
from pacl.records.errors import LayoutError, RecordError
from pacl.records.patients import patient_of
from pacl.records.reader import check_known
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm
from pacl.records.text.divide import choose_part, may_divide
from pacl.records.text.parse import MAX_BYTES, How, Sheet, build_record, read_sheet
from pacl.records.text.start import parse_start
from pacl.records.text.table import decode, numbered_lines, read_head
from pacl.records.text.values import Unit

TEXT_ENDINGS = (".csv", ".dat", ".hrm", ".ibi", ".rr", ".rri", ".tsv", ".txt")
"""Files that a folder is searched for."""

_HEAD_BYTES = 65_536


class TextReader:
    """Text files of RR intervals, each a record, or several where a column divides it.

    A file that is divided, by patients for example, gives the records `FILE/PATIENT`.

    Parameters
    ----------
    path
        One file, or a folder whose files ending in any of `TEXT_ENDINGS` are taken.
    column, time_column, rhythm_column, patient_column, valid_column, unit, rhythms, allow_zero, \
    allow_smoothed
        As for `parse_rr`, the same for all files.
    start
        When the recording began; for a single recording without a clock.
    patients
        Patient of each record, where one patient has several. By default the patient is the one a
        column names, else each record is a patient.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        column: str | int | None = None,
        time_column: str | int | None = None,
        rhythm_column: str | int | None = None,
        patient_column: str | int | None = None,
        valid_column: str | int | None = None,
        unit: Unit = "auto",
        rhythms: Mapping[str, Rhythm] | None = None,
        allow_zero: bool = False,
        allow_smoothed: bool = False,
        start: str | None = None,
        patients: Mapping[str, str] | None = None,
    ) -> None:
        self._root = Path(path)
        self._how = How(
            column=column,
            time_column=time_column,
            rhythm_column=rhythm_column,
            patient_column=patient_column,
            valid_column=valid_column,
            unit=unit,
            rhythms=rhythms,
            allow_zero=allow_zero,
            allow_smoothed=allow_smoothed,
            start=start,
        )
        self._patients = patients
        self._last: Sheet | None = None
        with listing(self._root):
            files = _find_files(self._root)
        self._places = {
            f"{stem}/{part}" if part else stem: (path, part)
            for stem, path in files.items()
            for part in self._parts(path)
        }
        self._record_ids = tuple(sorted(self._places))
        if start is not None:
            parse_start(start, str(self._root))
            if len(self._record_ids) > 1:
                raise LayoutError(
                    self._root,
                    f"start={start!r} was given, but there are {len(self._record_ids)} recordings",
                    "give the start of one recording at a time (--start)",
                )

    @property
    def root(self) -> Path:
        """The file or folder."""
        return self._root

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Every recording: its file without ending, and its part where a file has several."""
        return self._record_ids

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        check_known(record_id, self)
        path, name = self._places[record_id]
        sheet = self._sheet(path)
        part = choose_part(sheet.parts, name or None, str(path))
        patient = part.owner(path.stem)
        if self._patients is not None:
            patient = patient_of(record_id, self._patients, str(path))
        return build_record(sheet, part, str(path), self._how, record_id, patient)

    def _sheet(self, path: Path) -> Sheet:
        """The table of a file; one that is divided is kept, as its next part is read next."""
        content = read_bytes(path, MAX_BYTES)
        if self._last is not None and self._last.digest == digest([("text", content)]):
            return self._last
        sheet = read_sheet(content, str(path), self._how)
        self._last = sheet if len(sheet.parts) > 1 else None
        return sheet

    def _parts(self, path: Path) -> list[str]:
        """Names of the recordings of a file; what is wrong with it is said when it is read."""
        try:
            head = decode(read_first_bytes(path, _HEAD_BYTES), str(path))
            lines, _ = numbered_lines(head, str(path))
            if may_divide(read_head(lines).names, self._how.patient_column):
                return list(read_sheet(read_bytes(path, MAX_BYTES), str(path), self._how).parts)
        except RecordError:
            pass
        return [""]


def _find_files(root: Path) -> dict[str, Path]:
    if root.is_file():
        return {root.stem: root}
    found: dict[str, Path] = {}
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if path.suffix.lower() not in TEXT_ENDINGS or not path.is_file():
            continue
        if path.stem in found:
            raise LayoutError(
                root,
                f"{found[path.stem].name} and {path.name} would both be record {path.stem!r}",
                "rename one of them",
            )
        found[path.stem] = path
    if not found:
        raise LayoutError(
            root,
            f"no file that ends in {', '.join(TEXT_ENDINGS)}",
            "give a text file of RR intervals or a folder of them",
        )
    return found

"""Where `pacl detect` writes its results, and in which format."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from pacl.atomic_write import TargetError, atomic_write, check_not_input
from pacl.errors import PaclError
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.detect import Detection, Detector
    from pacl.records import Reader, Record
    from pacl.report.index import RecordingRow

Format = Literal["text", "json", "csv", "html", "tables"]

ENDINGS: dict[str, Format] = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
}


OTHERS = {".doc", ".docx", ".ods", ".pdf", ".png", ".svg", ".xls", ".xlsx", ".xml"}
"""Endings of what is not written, and would be taken for text."""

INDEX = "index.html"


def chosen_format(asked: Format | None, output: Path | None) -> Format:
    """The format of the option, else of the ending; a name without ending is a folder of tables.

    A format that contradicts the ending is an error.
    """
    ending = ENDINGS.get(output.suffix.lower()) if output is not None else None
    if asked is not None and ending is not None and asked != ending:
        raise PaclError(
            f"--output {output}: the ending means {ending}, but --format is {asked}; leave out "
            "--format or change the ending"
        )
    if asked is None and ending is None and output is not None:
        if output.suffix.lower() == ".parquet":
            raise PaclError(
                f"--output {output}: tables are written into a folder, in parts; give a name "
                "without an ending"
            )
        if not output.suffix or output.is_dir():
            return "tables"
        if output.suffix.lower() in OTHERS:
            raise PaclError(
                f"--output {output}: {output.suffix} files are not written; use .html (a page, "
                "which a browser prints as PDF), .json, .csv or .txt, or give --format"
            )
    return asked or ending or "text"


def check_target(output: Path | None, form: Format) -> None:
    """Refuse an output that cannot hold the result, before anything is read."""
    if output is None:
        if form == "html":
            raise PaclError("--format html needs --output: a file, or a folder for several pages")
        if form == "tables":
            raise PaclError("--format tables needs --output: a folder")
    elif form == "tables":
        _check_folder(output, "the tables")
    elif form != "html" and output.is_dir():
        raise TargetError(f"{output}: expected a file to write; it is a folder")


def check_several(output: Path | None, form: Format, several: bool) -> None:
    """Refuse an output for pages that does not fit the number of recordings."""
    if output is None or form != "html":
        return
    if several:
        if output.suffix.lower() in ENDINGS:
            raise PaclError(
                f"--output {output}: several recordings need a folder for their pages; give a name "
                "without an ending, and --format html"
            )
        _check_folder(output, "the pages")
    elif output.is_dir():
        raise TargetError(f"{output}: expected a file to write; it is a folder")


def _check_folder(output: Path, what: str) -> None:
    if output.exists() and not output.is_dir():
        raise TargetError(f"{output}: expected a folder for {what}; it is a file")


class Pages:
    """Writes one page into a file, or several into a folder, each as soon as it is ready.

    A folder also gets an index of them at the end.
    """

    def __init__(self, output: Path, several: bool, inputs: Sequence[Path]) -> None:
        self._inputs = inputs
        self._output = output
        self._several = several
        self._written: dict[Path, str] = {}
        self._rows: list[RecordingRow] = []

    @property
    def _index(self) -> Path:
        return self._output / INDEX

    def write(
        self, reader: "Reader", record: "Record", detection: "Detection", detector: "Detector"
    ) -> None:
        """Write the page of a recording, and print its path."""
        from pacl.records import find_ecg
        from pacl.report.index import row_of
        from pacl.report.recording import write_recording_page

        name = f"{record.record_id}.html"
        path = self._output / name if self._several else self._output
        if path in self._written or (self._several and path == self._index):
            of = self._written.get(path, "the index")
            raise TargetError(
                f"{record.source}: {path} is already the page of {of}, which has the same name; "
                "give these recordings one at a time"
            )
        check_not_input(path, self._inputs)
        up = "../" * record.record_id.count("/") + INDEX if self._several else ""
        ecg, why_not = find_ecg(reader, record.record_id)
        place = detector.place(record)
        notices = [] if why_not is None else [why_not]
        page = write_recording_page(record, detection, place, ecg, up=up, notices=notices)
        atomic_write(path, page.encode())
        self._written[path] = record.source
        edits = 0 if detection.edits is None else detection.edits.given
        key = str(len(self._rows))
        self._rows.append(row_of(record, detection, key, edits, ecg is not None, page=quote(name)))
        print(printable(str(path)))

    def failed(self, record_id: str, error: PaclError) -> None:
        """Have the index say why a recording has no page."""
        from pacl.report.index import RecordingRow

        self._rows.append(RecordingRow.failed(str(len(self._rows)), record_id, error))

    def finish(self) -> None:
        """Write the index of a folder, and print its path."""
        from pacl.report.index import index_page

        if not self._several or not self._rows:
            return
        check_not_input(self._index, self._inputs)
        atomic_write(self._index, index_page(self._rows).encode())
        print(printable(str(self._index)))

"""Where `pacl detect` writes its results, and in which format."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pacl.atomic_write import TargetError, atomic_write, check_not_input
from pacl.errors import PaclError
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.detect import Detection, Detector
    from pacl.records import Record

Format = Literal["text", "json", "csv", "html"]

ENDINGS: dict[str, Format] = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
}


def chosen_format(asked: Format | None, output: Path | None) -> Format:
    """The format of the option, else of the ending, else text.

    A format that contradicts the ending is an error.
    """
    ending = ENDINGS.get(output.suffix.lower()) if output is not None else None
    if asked is not None and ending is not None and asked != ending:
        raise PaclError(
            f"--output {output}: the ending means {ending}, but --format is {asked}; leave out "
            "--format or change the ending"
        )
    return asked or ending or "text"


def check_target(output: Path | None, form: Format, several: bool) -> None:
    """Refuse an output that cannot hold the result, before anything is judged."""
    if output is None:
        if form == "html":
            raise PaclError("--format html needs --output: a file, or a folder for several pages")
    elif form == "html" and several:
        if output.suffix.lower() in ENDINGS:
            raise PaclError(
                f"--output {output}: several recordings need a folder for their pages; give a name "
                "without an ending, and --format html"
            )
        if output.exists() and not output.is_dir():
            raise TargetError(f"{output}: expected a folder for the pages; it is a file")
    elif output.is_dir():
        raise TargetError(f"{output}: expected a file to write; it is a folder")


class Pages:
    """Writes one page into a file, or several into a folder, each as soon as it is ready."""

    def __init__(self, output: Path, several: bool, inputs: Sequence[Path]) -> None:
        self._inputs = inputs
        self._output = output
        self._several = several
        self._written: dict[Path, str] = {}

    def write(self, record: "Record", detection: "Detection", detector: "Detector") -> None:
        """Write the page of a recording, and print its path."""
        from pacl.report.recording import write_recording_page

        path = self._output / f"{record.record_id}.html" if self._several else self._output
        if path in self._written:
            raise TargetError(
                f"{record.source}: {path} is already the page of {self._written[path]}, which has "
                "the same name; give these recordings one at a time"
            )
        check_not_input(path, self._inputs)
        page = write_recording_page(record, detection, detector.place(record))
        atomic_write(path, page.encode())
        self._written[path] = record.source
        print(printable(str(path)))

"""Pages of recordings, each written as soon as its recording is judged."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.atomic_write import TargetError, atomic_write, check_not_input
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.detect import Detection, Detector
    from pacl.records import Record


class Pages:
    """Writes one page into a file, or several into a folder, each named by its record."""

    def __init__(self, output: Path, several: bool, inputs: Sequence[Path]) -> None:
        self._inputs = inputs
        self._output = output
        self._several = several
        self._written: dict[Path, str] = {}

    def write(self, record: "Record", detection: "Detection", detector: "Detector") -> None:
        """Write the page of a recording, and print where it is."""
        from pacl.report.recording import write_recording_page

        place = self._output / f"{record.record_id}.html" if self._several else self._output
        if place in self._written:
            raise TargetError(
                f"{record.source}: {place} is the page of {self._written[place]}, which has the "
                "same name; judge them one by one"
            )
        check_not_input(place, self._inputs)
        page = write_recording_page(record, detection, detector.place(record))
        atomic_write(place, page.encode())
        self._written[place] = record.source
        print(printable(str(place)))

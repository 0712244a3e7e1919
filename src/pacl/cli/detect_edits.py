"""`pacl detect --edits`: the marks by hand of each recording."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.cli.messages import print_error
from pacl.errors import PaclError
from pacl.records import EDITS_ENDING

if TYPE_CHECKING:
    from pacl.detect import Mark
    from pacl.records import Record


@dataclass(slots=True)
class GivenEdits:
    """A file of edits, or a folder in which that of each recording is looked for by its name.

    `sought` are the files that were looked for, `found` counts those that were there.
    """

    path: Path
    sought: list[Path] = field(default_factory=list)
    found: int = 0

    def check(self, recordings: int) -> None:
        """Refuse a path that is not there, and one file for several recordings."""
        if not self.path.exists():
            raise PaclError(f"--edits {self.path}: no such file or folder; check the path")
        if recordings > 1 and not self.path.is_dir():
            raise PaclError(
                f"--edits {self.path}: one file for {recordings:,} recordings; give the folder in "
                "which the file of each one is"
            )

    def files(self, output: Path | None) -> Iterator[Path]:
        """Files that must not be written over: of a folder, any that may hold edits."""
        if not self.path.is_dir():
            yield self.path
        elif output is not None and output.name.endswith(EDITS_ENDING):
            yield output

    def marks(self, record: "Record", several: bool) -> "tuple[Mark, ...]":
        """The marks of a recording; none where a folder has no file for it."""
        from pacl.edits import EditLog

        path = self._path_of(record, several)
        self.sought.append(path)
        if self.path.is_dir() and not path.exists():
            return ()
        log = EditLog.read(path, record)
        self.found += 1
        for problem in log.problems:
            print_error(f"{path}: {problem}")
        return log.marks

    def _path_of(self, record: "Record", several: bool) -> Path:
        """The file of a recording: beside it, where it lies below the folder, else by its name."""
        from pacl.edits import edits_path

        if not self.path.is_dir():
            return self.path
        beside = edits_path(record, several)
        if beside.exists() and self.path.resolve() in beside.resolve().parents:
            return beside
        return edits_path(record, several, self.path)

    def check_found(self) -> None:
        """Refuse a folder that has no edits of any recording."""
        if self.sought and not self.found:
            raise PaclError(
                f"--edits {self.path}: no edits of these recordings in it, expected "
                f"{self.sought[0].name}; check the folder, or leave the option out"
            )

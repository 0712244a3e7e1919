"""The edits of one recording: those that count, and those that were taken back."""

from dataclasses import dataclass
from pathlib import Path

from pacl.detect import Mark
from pacl.edits.edit import Edit
from pacl.edits.errors import EditError
from pacl.edits.lines import MOST_BYTES, Lines, read_lines
from pacl.file_bytes import FileError, read_file
from pacl.records import Record


@dataclass(frozen=True, slots=True)
class EditLog:
    """The edits of one recording.

    Parameters
    ----------
    edits
        Those that count, in the order in which they were made.
    undone
        Those that were taken back, the last one last.
    revision
        Number of lines that were read: it grows with each change.
    problems
        What was left out of the file, in words.
    """

    edits: tuple[Edit, ...] = ()
    undone: tuple[Edit, ...] = ()
    revision: int = 0
    problems: tuple[str, ...] = ()

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What the detector takes: all edits that count but notes."""
        return tuple(mark for one in self.edits if (mark := one.mark) is not None)

    @classmethod
    def read(cls, path: Path | str, record: Record) -> "EditLog":
        """Read the file of a recording.

        One of another recording, of another format, or with a line that is wrong, is refused. A
        line that was not written to its end is left out, and `problems` says so.
        """
        path = Path(path)
        try:
            content = read_file(path, MOST_BYTES)
        except FileError as error:
            raise EditError(str(error)) from error
        return cls.of(read_lines(content, path, record), path)

    @classmethod
    def of(cls, lines: Lines, path: Path) -> "EditLog":
        """What the lines of a file come to."""
        made: dict[str, Edit] = {}
        undone: dict[str, Edit] = {}
        ids: set[str] = set()
        for number, one in lines.entries:
            where = f"{path}: line {number}"
            if one.id in ids:
                raise EditError(f"{where}: the id {one.id} is there already; give each its own")
            ids.add(one.id)
            if isinstance(one, Edit):
                made[one.id] = one
                continue
            if one.of not in made:
                raise EditError(
                    f"{where}: {one.kind} of {one.of}, but there is no such edit; name one that "
                    "was made before"
                )
            if (one.kind == "undo") == (one.of in undone):
                state = "was taken back already" if one.kind == "undo" else "was not taken back"
                raise EditError(f"{where}: {one.kind} of {one.of}, but it {state}; leave it out")
            if one.kind == "undo":
                undone[one.of] = made[one.of]
            else:
                del undone[one.of]
        return cls(
            edits=tuple(one for name, one in made.items() if name not in undone),
            undone=tuple(undone.values()),
            revision=len(lines.entries) + lines.has_head,
            problems=lines.problems,
        )

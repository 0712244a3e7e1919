"""A recording that was named, where it is, and under which key the page asks for it."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pacl.records import LayoutError, Reader, Record, shown_files

KEY_DIGITS = 16

Signature: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """One recording.

    `given` is the path as it was named. Nothing outside of it is read.
    """

    key: str
    record_id: str
    reader: Reader
    given: Path

    @property
    def several(self) -> bool:
        """Whether its reader has other recordings, too."""
        return len(self.reader.record_ids) > 1

    @property
    def address(self) -> str:
        """Address of its page, seen from the index."""
        return f"r/{self.key}/"

    def read(self) -> Record:
        """Read it, unless a link leads to another place."""
        self.check_inside()
        return self.reader.read(self.record_id)

    def signature(self) -> Signature:
        """Size and time of change of its files: another one means another content."""
        found = []
        for file in shown_files(self.reader, self.record_id):
            with suppress(OSError):
                status = file.stat()
                found.append((status.st_size, status.st_mtime_ns))
        return tuple(found)

    def check_inside(self) -> None:
        """Refuse a recording in a folder whose files are links that lead out of the folder."""
        if not self.given.is_dir():
            return
        inside = self.given.resolve()
        for file in shown_files(self.reader, self.record_id):
            if not file.resolve().is_relative_to(inside):
                raise LayoutError(
                    file,
                    f"a link that leads out of {self.given}",
                    "give the path of the recording itself",
                )


def places_of(readers: Iterable[tuple[Path, Reader]]) -> Iterator[Place]:
    """All recordings of some readers, each with the path that it was opened by."""
    for given, reader in readers:
        for record_id in reader.record_ids:
            name = f"{given.resolve()}\0{record_id}".encode("utf-8", "surrogatepass")
            key = hashlib.sha256(name).hexdigest()[:KEY_DIGITS]
            yield Place(key, record_id, reader, given)


def by_key(places: Sequence[Place]) -> dict[str, Place]:
    """Places by their keys; a recording that is named twice is one."""
    return {one.key: one for one in places}

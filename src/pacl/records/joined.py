"""Reader for a folder whose files need several readers."""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Protocol

from pacl.records.errors import LayoutError
from pacl.records.reader import Reader, check_known, narrowed_each
from pacl.records.record import Record
from pacl.records.text import why_unread
from pacl.records.tree import left_out_lines


class PartReader(Reader, Protocol):
    """A reader of some files of a folder."""

    @property
    def unread(self) -> Mapping[str, str]:
        """Files of the folder that it does not read, with the reason."""


class JoinedReader:
    """Recordings below one folder, each read by one of several readers."""

    def __init__(self, root: Path, readers: Sequence[PartReader]) -> None:
        self.root = root
        self._by_record: dict[str, Reader] = {}
        for reader in readers:
            for record_id in reader.record_ids:
                if record_id in self._by_record:
                    raise LayoutError(
                        root,
                        f"two files would both be record {record_id!r}",
                        "rename one of them, or move it to another folder",
                    )
                self._by_record[record_id] = reader
        self.unread = _unread(root, readers)
        self.left_out = left_out_lines(self.unread)
        self.record_ids = tuple(sorted(self._by_record))

    def narrowed(self, record_ids: Collection[str]) -> "JoinedReader":
        """The same reader of these recordings alone."""
        found = copy(self)
        found._by_record = narrowed_each({one: self._by_record[one] for one in record_ids})
        found.record_ids = tuple(sorted(record_ids))
        found.unread, found.left_out = {}, ()
        return found

    def of(self, record_id: str) -> Reader:
        """The reader of one recording."""
        check_known(record_id, self._by_record, self)
        return self._by_record[record_id]

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        return self.of(record_id).read(record_id)


def _unread(root: Path, readers: Sequence[PartReader]) -> dict[str, str]:
    """What none of the readers reads; what is part of a file is known to one of them alone."""
    found: dict[str, str] = {}
    for reader in readers:
        for name, why in reader.unread.items():
            by_all = all(name in other.unread for other in readers)
            if (by_all or not (root / name).exists()) and found.get(name, "") in (
                "",
                why_unread(name),
            ):
                found[name] = why
    return found

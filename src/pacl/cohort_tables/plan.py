"""Which recordings there are, in which order, and in which part of the tables each one is."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pacl.records import (
    Reader,
    ReadOptions,
    RecordError,
    address_of,
    local_path,
    narrowed,
    open_records,
    shown_path,
)

MOST_PER_PART = 32
"""Recordings of a part: what is lost, at most, when a worker is killed."""
LEAST_PARTS = 64
"""A small cohort is divided further, so that all workers are busy to the end."""


@dataclass(frozen=True, slots=True)
class Item:
    """A recording of the plan.

    `reader` is the number of its reader. `why` says why a path could not be opened; it then stands
    for what it would hold.
    """

    reader: int
    record_id: str
    file: str
    why: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class CohortPlan:
    """The recordings of some paths, in order, and how many make up a part."""

    readers: tuple[Reader | None, ...]
    items: tuple[Item, ...]
    per_part: int

    @classmethod
    def of(
        cls,
        paths: Sequence[Path],
        read: ReadOptions | None = None,
        *,
        per_part: int | None = None,
        on_reader: Callable[[Reader], None] = lambda reader: None,
    ) -> "CohortPlan":
        """Open all paths; one that cannot be opened is a recording that fails.

        Paths become absolute, so that workers elsewhere find them; addresses stay. `on_reader` is
        called with each reader.
        """
        readers: list[Reader | None] = []
        items: list[Item] = []
        for number, path in enumerate(paths):
            absolute = _absolute(path)
            file = shown_path(absolute)
            try:
                reader = open_records(absolute, read)
            except RecordError as error:
                readers.append(None)
                items.append(Item(number, Path(file).name, file, str(error)))
                continue
            on_reader(reader)
            readers.append(reader)
            items += [Item(number, one, file) for one in reader.record_ids]
        usual = min(MOST_PER_PART, max(1, len(items) // LEAST_PARTS))
        return cls(tuple(readers), tuple(items), per_part or usual)

    @property
    def parts(self) -> int:
        """Number of parts."""
        return -(-len(self.items) // self.per_part)

    def digest(self) -> str:
        """SHA-256 over the names of all recordings, in order."""
        found = hashlib.sha256()
        for one in self.items:
            found.update(f"{one.file}\0{one.record_id}\0".encode("utf-8", "surrogateescape"))
        return found.hexdigest()

    def items_of(self, number: int) -> tuple[Item, ...]:
        """The recordings of one part."""
        return self.items[number * self.per_part : (number + 1) * self.per_part]

    def part(self, number: int) -> "CohortPlan":
        """One part of the plan: its recordings, with readers of these alone."""
        items = self.items_of(number)
        return CohortPlan(tuple(self._narrowed(items)), items, self.per_part)

    def _narrowed(self, items: Sequence[Item]) -> Iterator[Reader | None]:
        of: dict[int, list[str]] = {}
        for one in items:
            of.setdefault(one.reader, []).append(one.record_id)
        for number, reader in enumerate(self.readers):
            yield narrowed(reader, of[number]) if reader and number in of else None


def _absolute(path: Path) -> Path:
    if address_of(path) is not None:
        return path
    return Path(os.path.abspath(local_path(path)))  # noqa: PTH100 - links are kept

"""Which recordings there are, in which order, and in which part of the tables each one is."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pacl.records import (
    Reader,
    ReadOptions,
    RecordError,
    address_of,
    local_path,
    manifest_of,
    narrowed,
    open_records,
    record_files,
    shown_path,
)
from pacl.stored import digest_of_file

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
        for number, absolute in enumerate(dict.fromkeys(map(_absolute, paths))):
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

    def declared(self) -> list[dict[str, Any] | None]:
        """What the `cohort.toml` of each path says; None where there is none."""
        manifests = [manifest_of(one) if one else None for one in self.readers]
        return [None if one is None else one.to_dict() for one in manifests]

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

    def state(self, number: int) -> str:
        """Digest of the names, sizes and times of all files of a part: it changes if they do.

        Of readers that cannot tell their files, such as those of addresses, names alone count.
        """
        found = hashlib.sha256()
        for one in self.items_of(number):
            found.update(_state_of(self.readers[one.reader], one).encode())
        return found.hexdigest()

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


def _state_of(reader: Reader | None, item: Item) -> str:
    files = None
    if reader is not None:
        with suppress(RecordError, OSError):  # reading it will say what is wrong
            files = record_files(reader, item.record_id)
    states = []
    for path in files or ():
        with suppress(OSError):
            now = path.stat()
            states.append((str(path), now.st_size, now.st_mtime_ns))
    return repr((item.file, item.record_id, states))


def _absolute(path: Path) -> Path:
    if address_of(path) is not None:
        return path
    return Path(os.path.abspath(local_path(path)))  # noqa: PTH100 - links are kept


def stated_reading(read: ReadOptions | None) -> dict[str, Any]:
    """Options of reading that were given; files by their content."""
    given, usual = read or ReadOptions(), ReadOptions()
    names = [one.name for one in fields(given)]
    found = {name: getattr(given, name) for name in names}
    return {
        name: digest_of_file(value) if isinstance(value, Path) and value.is_file() else str(value)
        for name, value in found.items()
        if value != getattr(usual, name)
    }

"""The bytes of one export: a file, or a member of an archive."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from pacl.file_bytes import FileError, open_file
from pacl.records.errors import FormatError
from pacl.records.exports.recording import Contents

HEAD_BYTES = 4096
"""Bytes at the start of a file by which its format is recognised."""

Advance = Callable[[int, int], None]
"""Told the bytes that are done and all bytes while a long file is read."""


@runtime_checkable
class Stream(Protocol):
    """Bytes that are read one after the other."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


@dataclass(frozen=True, slots=True)
class Source:
    """One export to be read as a stream.

    Parameters
    ----------
    where
        Its path, and the member of an archive, for messages.
    name
        Name of the file without its folders.
    size
        Bytes it has, or says that it has.
    open
        Opens it from the start.
    advance
        See `Advance`.
    """

    where: str
    name: str
    size: int
    open: Callable[[], AbstractContextManager[Stream]]
    advance: Advance | None = None

    def head(self) -> bytes:
        """Its first bytes."""
        with self.open() as file:
            return file.read(HEAD_BYTES)

    def read(self, limit: int) -> bytes:
        """All of it, where that is at most `limit` bytes."""
        with self.open() as file:
            content = file.read(limit + 1)
        if len(content) > limit:
            raise FormatError(
                self.where,
                f"more than {limit:,} bytes",
                "split the file or check that it is the right one",
            )
        self.tell(len(content))
        return content

    def tell(self, done: int) -> None:
        """Report how far reading has come."""
        if self.advance is not None:
            self.advance(min(done, self.size), self.size)


def source_of(path: Path, advance: Advance | None = None) -> Source:
    """A file on disk; pipes and devices are refused."""

    @contextmanager
    def opened() -> Iterator[Stream]:
        try:
            with open_file(path) as file:
                yield file
        except FileError as error:
            raise FormatError(path, error.what, error.remedy) from error
        except OSError as error:
            raise FormatError(
                path,
                f"cannot be read ({error.strerror or error})",
                "check the path and its permissions",
            ) from error

    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = 0  # opening it says why
    return Source(str(path), path.name, size, opened, advance)


@runtime_checkable
class ExportFormat(Protocol):
    """One format of exports; each is a few functions in a module of its own."""

    @property
    def name(self) -> str:
        """How it is called in messages and by `recognise_export`."""

    @property
    def summary(self) -> str:
        """What it is, in one line."""

    @property
    def endings(self) -> tuple[str, ...]:
        """Endings that such files usually have, for searching a folder."""

    def recognises(self, head: bytes, name: str) -> bool:
        """Whether the first bytes are of this format; the name decides what they leave open."""

    def is_single(self, source: Source) -> bool:
        """Whether there is one recording, where that shows without reading all messages."""

    def read(self, source: Source) -> Contents:
        """Its recordings; raises `RecordError` where there is none."""

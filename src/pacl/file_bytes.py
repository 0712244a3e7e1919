"""The bytes of one file: of a regular file alone, and never more than a limit."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pacl.errors import PaclError


class FileError(PaclError):
    """A file that cannot be read; names it, what is wrong, and the remedy."""

    def __init__(self, path: Path, what: str, remedy: str) -> None:
        super().__init__(f"{path}: {what}; {remedy}")
        self.path = path
        self.what = what
        self.remedy = remedy


def read_file(path: Path, limit: int) -> bytes:
    """Read a whole file; refuse one above `limit` bytes, a pipe and a device before reading.

    Opening a pipe that nobody writes to would wait for ever, and some devices never end.
    """
    with _regular(path) as (file, stated):
        content = b"" if stated > limit else file.read(limit + 1)
        size = max(stated, len(content))  # a file may grow while it is read
        if size > limit:
            raise FileError(
                path,
                f"{size:,} bytes, expected at most {limit:,}",
                "split the file or check that it is the right one",
            )
        return content


def read_beginning(path: Path, size: int) -> bytes:
    """Read the first `size` bytes of a file, or all where it has fewer; as `read_file` refuses."""
    with _regular(path) as (file, _):
        return file.read(size)


@contextmanager
def _regular(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file, and say its size."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FileError(
                    path, "a pipe or a device, expected a file", "write it to a file first"
                )
            yield file, status.st_size
    except (OSError, ValueError) as error:  # a zero byte in a name is a ValueError
        reason = getattr(error, "strerror", None) or error
        missing = isinstance(error, FileNotFoundError)
        remedy = "check the path" if missing else "check the path and its permissions"
        raise FileError(path, f"cannot be read ({reason})", remedy) from error

"""The bytes of one file: of a regular file alone, and never more than a limit."""

import os
import stat
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
    """Read a file; refuse one above `limit` bytes, a pipe and a device before reading."""
    with open_file(path, limit) as file:
        try:
            content = file.read(limit + 1)
        except OSError as error:
            raise _cannot_be_read(path, error) from error
    if len(content) > limit:  # a file may grow while it is read
        raise _too_large(path, len(content), limit)
    return content


def read_beginning(path: Path, size: int) -> bytes:
    """Read the first `size` bytes of a file, or all where it has fewer."""
    with open_file(path) as file:
        try:
            return file.read(size)
        except OSError as error:
            raise _cannot_be_read(path, error) from error


def open_file(path: Path, limit: int | None = None) -> BinaryIO:
    """Open a file for reading; refuse one above `limit` bytes, a pipe and a device.

    Opening a pipe without a writer would never return, and some devices never end.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
    except (OSError, ValueError) as error:  # a zero byte in a name is a ValueError
        if isinstance(error, PermissionError) and path.is_dir():  # Windows opens no folders
            raise _folder(path) from error
        raise _cannot_be_read(path, error) from error
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise _folder(path)
        if not stat.S_ISREG(status.st_mode):
            raise FileError(path, "a pipe or a device, expected a file", "write it to a file first")
        if limit is not None and status.st_size > limit:
            raise _too_large(path, status.st_size, limit)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _folder(path: Path) -> FileError:
    return FileError(path, "a folder, expected a file", "name a file in it")


def _too_large(path: Path, size: int, limit: int) -> FileError:
    return FileError(
        path,
        f"{size:,} bytes, expected at most {limit:,}",
        "split the file or check that it is the right one",
    )


def _cannot_be_read(path: Path, error: OSError | ValueError) -> FileError:
    reason = getattr(error, "strerror", None) or error
    missing = isinstance(error, FileNotFoundError)
    remedy = "check the path" if missing else "check the path and its permissions"
    return FileError(path, f"cannot be read ({reason})", remedy)

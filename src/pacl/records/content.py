"""The bytes of source files, and the digest of the bytes that something was made from."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pacl.file_bytes import FileError, read_beginning, read_file
from pacl.records.errors import FormatError, LayoutError

HEAD_BYTES = 65_536
"""Bytes at the start of a file that are read to recognise its content."""

MAX_BEATS = 10_000_000
"""Intervals of one recording: a hundred days. More are a fault, or a trap for memory."""


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a file of at most `limit` bytes; see `read_file` for what is refused."""
    try:
        return read_file(path, limit)
    except FileError as error:
        raise FormatError(path, error.what, error.remedy) from error


def read_first_bytes(path: Path, size: int) -> bytes:
    """Read the beginning of a file; see `read_file` for what is refused."""
    try:
        return read_beginning(path, size)
    except FileError as error:
        raise FormatError(path, error.what, error.remedy) from error


@contextmanager
def listing(path: Path) -> Iterator[None]:
    """Turn errors of the system on listing a folder into typed errors."""
    try:
        yield
    except (OSError, ValueError) as error:  # a zero byte in a name is a ValueError
        raise LayoutError(
            path,
            f"cannot be listed ({getattr(error, 'strerror', None) or error})",
            "check the path and its permissions",
        ) from error


def digest(parts: Iterable[tuple[str, bytes | memoryview]]) -> str:
    """SHA-256 over named parts; a part moved, renamed or cut gives another digest."""
    total = hashlib.sha256()
    for name, content in parts:
        size = content.nbytes if isinstance(content, memoryview) else len(content)
        total.update(f"{name}\0{size}\0".encode())
        total.update(content)
    return total.hexdigest()

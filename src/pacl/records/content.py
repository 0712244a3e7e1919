"""The bytes of source files, and the digest that says from which bytes something was made."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pacl.records.errors import FormatError, LayoutError

MAX_FILE_BYTES = 4 * 1024**3
"""Above this a file is no RR recording, and would not be held in memory whole."""


def read_bytes(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """Read a whole file; refuse one larger than `limit` before reading it."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise FormatError(
                path,
                f"{size:,} bytes, expected at most {limit:,}",
                "split the file or check that it is the right one",
            )
        return path.read_bytes()
    except OSError as error:
        raise FormatError(
            path,
            f"cannot be read ({error.strerror or error})",
            "fetch it"
            if isinstance(error, FileNotFoundError)
            else "check the path and its permissions",
        ) from error


@contextmanager
def listing(path: Path) -> Iterator[None]:
    """Turn what the system says against looking into a folder into a typed error."""
    try:
        yield
    except OSError as error:
        raise LayoutError(
            path,
            f"cannot be looked into ({error.strerror or error})",
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

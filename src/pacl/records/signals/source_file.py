"""A file that is read once from its beginning to its end, and what was in it."""

import hashlib
import os
from pathlib import Path
from types import TracebackType

from pacl.file_bytes import FileError, open_file
from pacl.records.errors import FormatError

MAX_FILE_BYTES = 2 * 1024**3
"""Above this a file of signals is not read: some 50 days of one lead at 250 Hz in 16 bits."""

_REST = 1024**2


class SourceFile:
    """A regular file of at most `limit` bytes, read in order; all that is read is also hashed."""

    def __init__(self, path: Path, limit: int = MAX_FILE_BYTES) -> None:
        self.path = path
        try:
            self._file = open_file(path, limit)
        except FileError as error:
            raise FormatError(path, error.what, error.remedy) from error
        self.size = os.fstat(self._file.fileno()).st_size
        self._left = limit
        self._hash = hashlib.sha256()

    def __enter__(self) -> "SourceFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """The next `size` bytes, fewer only at the end of the file."""
        try:
            content = self._file.read(size)
        except OSError as error:
            raise FormatError(
                self.path, f"cannot be read ({error.strerror or error})", "check the disk"
            ) from error
        self._left -= len(content)
        if self._left < 0:
            raise FormatError(self.path, "it grows while it is read", "wait until it is complete")
        self._hash.update(content)
        return content

    def read_exactly(self, size: int) -> bytes:
        """The next `size` bytes; refuse where there are fewer."""
        content = self.read(size)
        if len(content) < size:
            raise FormatError(self.path, "it became shorter while it was read", "try again")
        return content

    def skip(self, size: int) -> None:
        """Read on without keeping anything."""
        while size > 0:
            passed = len(self.read(min(size, _REST)))
            if not passed:
                break
            size -= passed

    def fingerprint(self) -> bytes:
        """SHA-256 of the whole file; reads what is left of it."""
        self.skip(self.size)
        return self._hash.digest()

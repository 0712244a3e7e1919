"""A file to which whole lines are appended: checked first, locked, never torn."""

import contextlib
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pacl.append_file import append, lock, open_to_append, sync_folder
from pacl.live.errors import LiveError

_MOST = 4096
"""Bytes at either end that are looked at; a row has fewer than 100."""


class JournalFile:
    """An open file of our own format, at its end.

    Parameters
    ----------
    path
        A new file, or one that was begun with `mark`.
    mark
        Its first line.
    columns
        The lines that may name its columns.
    """

    def __init__(self, path: Path, mark: str, columns: Sequence[str]) -> None:
        self._path = path
        self.columns: str | None = None
        """The line of columns, where the file has one already."""
        self.last_time: datetime | None = None
        """The time in its last row."""
        try:
            self._number, self._is_new = open_to_append(path)
        except OSError as error:
            raise self._cannot(error) from error
        try:
            self._lock()
            if os.fstat(self._number).st_size == 0:
                self.write(mark.encode())
                sync_folder(path)
            else:
                self._check(mark, columns)
        except OSError as error:
            self.close(keep=not self._is_new)
            raise self._cannot(error) from error
        except BaseException:
            self.close(keep=True)
            raise

    def write(self, content: bytes) -> None:
        """Append whole lines, and wait until they are on the disk; all or nothing."""
        append(self._number, content)

    def close(self, *, keep: bool) -> None:
        """Close it; a file that was made here is removed if it is not to be kept."""
        if self._number < 0:
            return
        os.close(self._number)
        self._number = -1
        if self._is_new and not keep:
            with contextlib.suppress(OSError):
                self._path.unlink()

    def _check(self, mark: str, columns: Sequence[str]) -> None:
        head = self._read(0).decode("utf-8", errors="replace")
        if not head.startswith(mark):
            raise LiveError(
                f"{self._path}: is there already, and pacl listen did not write it; name another "
                "file, nothing is overwritten"
            )
        self.columns = next((one for one in columns if f"\n{one}" in head), None)
        if self.columns is None and any(not one.startswith("#") for one in head.splitlines()):
            raise self._damaged("the line that names its columns is missing")
        size = os.fstat(self._number).st_size
        end = self._read(max(0, size - _MOST))
        torn = len(end) - (end.rfind(b"\n") + 1)
        if torn == _MOST:
            raise self._damaged("its end is no row")
        if torn:  # half a line, from when the power failed
            os.ftruncate(self._number, size - torn)
            end = end[:-torn]
        for line in reversed(end.decode("utf-8", errors="replace").splitlines()):
            with contextlib.suppress(ValueError, OverflowError, OSError):
                self.last_time = datetime.fromisoformat(line.partition(",")[0]).astimezone()
                return

    def _read(self, at: int) -> bytes:
        os.lseek(self._number, at, os.SEEK_SET)
        return os.read(self._number, _MOST)

    def _lock(self) -> None:
        """Let no other session write to it."""
        try:
            lock(self._number)
        except BlockingIOError:
            raise LiveError(
                f"{self._path}: another pacl listen writes to it now; name another file"
            ) from None

    def _damaged(self, what: str) -> LiveError:
        return LiveError(
            f"{self._path}: {what}, so nothing can be added; name another file, or repair this one"
        )

    def _cannot(self, error: OSError) -> LiveError:
        return LiveError(
            f"{self._path}: cannot be written ({error.strerror or error}); choose another path"
        )

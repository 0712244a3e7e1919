"""A file to which whole lines are appended: checked first, locked, never torn."""

import contextlib
import os
import stat
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

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
            self._number, self._is_new = _opened(path)
        except OSError as error:
            raise self._cannot(error) from error
        try:
            self._lock()
            if os.fstat(self._number).st_size == 0:
                self.write(mark.encode())
                _sync_folder(path)
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
        end = os.lseek(self._number, 0, os.SEEK_END)
        try:
            done = 0
            while done < len(content):
                done += os.write(self._number, content[done:])
            os.fsync(self._number)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._number, end)
            raise

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
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
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


def _opened(path: Path) -> tuple[int, bool]:
    """The number of a regular file open for writing, and whether it is new."""
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666), True
    except FileExistsError:
        number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise LiveError(f"{path}: is a device, a pipe or a socket; name a file")
    return number, False


def _sync_folder(path: Path) -> None:
    """Have the name of a new file on the disk, too."""
    with contextlib.suppress(OSError):  # Windows has no such thing
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

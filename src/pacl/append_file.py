"""A file that grows by whole lines: opened, locked and written so that nothing is lost or torn."""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

AGAIN_S = 0.02
"""Seconds between two attempts to lock a file."""

_LOCKED_BYTE = 2**40
"""Where Windows locks a byte: far beyond the end, so that the content can still be read."""


def open_to_append(path: Path, *, follow: bool = True) -> tuple[int, bool]:
    """The number of a regular file open for reading and writing, and whether it is new.

    Without `follow`, a link is refused.
    """
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666), True
    except FileExistsError:
        number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is a device, a pipe or a socket")
    return number, False


@contextlib.contextmanager
def locked_file(path: Path, wait_s: float, *, follow: bool = True) -> Iterator[int]:
    """Open a file to append to it, alone; a new file stays only if something is written to it.

    An `OSError` says that it cannot be opened, a `BlockingIOError` that another process holds it.
    """
    until = time.monotonic() + wait_s
    while True:
        number, is_new = open_to_append(path, follow=follow)
        try:
            lock(number, max(until - time.monotonic(), 0.0))
            if not _is_at(number, path):  # it was removed while we waited
                continue
            try:
                yield number
            finally:
                if is_new and os.fstat(number).st_size == 0:
                    with contextlib.suppress(OSError):
                        path.unlink()
            return
        finally:
            os.close(number)


def lock(number: int, wait_s: float = 0.0) -> None:
    """Let no other process write to an open file; a `BlockingIOError` if one does for too long."""
    until = time.monotonic() + wait_s
    while not _try_lock(number):
        if time.monotonic() >= until:
            raise BlockingIOError(errno.EAGAIN, "another process writes to it now")
        time.sleep(AGAIN_S)


def append(number: int, content: bytes) -> None:
    """Append to an open file, and wait until it is on the disk; all or nothing."""
    end = os.lseek(number, 0, os.SEEK_END)
    try:
        done = 0
        while done < len(content):
            done += os.write(number, content[done:])
        os.fsync(number)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(number, end)
        raise


def sync_folder(path: Path) -> None:
    """Have the name of a new file on the disk, too."""
    with contextlib.suppress(OSError):  # Windows has no such thing
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _is_at(number: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(number), path.stat())
    except FileNotFoundError:
        return False


def _try_lock(number: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return _try_lock_on_windows(number)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_lock_on_windows(number: int) -> bool:
    import msvcrt

    os.lseek(number, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True

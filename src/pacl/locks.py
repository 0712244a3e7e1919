"""Locks on files, which end with the process that holds them."""

import inspect
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from pacl.errors import PaclError
from pacl.interrupts import uninterrupted

PATIENCE_S = 2.0
"""How long to wait for a lock: the process that holds it may be about to end."""

_HARD: dict[str, Any] = (
    {"fallback_to_soft": False}
    if "fallback_to_soft" in inspect.signature(FileLock.__init__).parameters
    else {}
)
"""Never a soft lock, which a killed process would leave behind."""


class LockError(PaclError):
    """A lock that another process holds, or that cannot be had; names it, and says what to do."""

    def __init__(self, where: Path, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")


@contextmanager
def sole_worker(folder: Path | str) -> Iterator[None]:
    """Work in a folder while no other process does; refuses if one does already.

    The lock is a file beside the folder, which is removed afterwards. A thread may take the lock
    that it holds again. Without locks in the file system there is a warning only.
    """
    folder = Path(folder).resolve()
    path = folder.with_name(f".{folder.name}.lock")
    lock = FileLock(path, mode=0o666, is_singleton=True, **_HARD)  # one object in all calls
    if lock.is_locked or not _locked(lock, path, folder):
        yield
        return
    try:
        yield
    finally:
        with uninterrupted():
            with suppress(OSError):  # some systems remove it on release
                path.unlink()
            lock.release()


def new_lock(path: Path) -> BaseFileLock:
    """A lock that is not held yet."""
    return FileLock(path, mode=0o666, **_HARD)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock during the block."""
    lock = take(path)
    try:
        yield
    finally:
        with uninterrupted():
            lock.release()


def take(path: Path) -> BaseFileLock:
    """Wait for a lock and take it."""
    lock = new_lock(path)
    try:
        lock.acquire()
    except OSError as error:
        raise LockError(
            path,
            f"the file system has no locks ({error.strerror or error}), and processes that share "
            "a folder need one",
            "name a folder on another file system, such as a local disk",
        ) from error
    return lock


def is_free(path: Path) -> bool:
    """Whether a lock file exists and no process holds it."""
    if not path.exists():
        return False
    try:
        with new_lock(path).acquire(blocking=False):
            return True
    except Timeout:
        return False


def _locked(lock: BaseFileLock, path: Path, folder: Path) -> bool:
    """Take the lock of a folder; False if the file system has no locks."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=PATIENCE_S)
        _sign(path)
    except Timeout:
        raise LockError(
            folder,
            f"another process works in this folder (process {_holder(path)}, which holds {path})",
            "wait until it has ended or stop it, then give the same command again; or name another "
            "folder",
        ) from None
    except OSError as error:
        if isinstance(error, PermissionError) and path.exists():
            raise LockError(
                folder,
                f"another user works in this folder, or did (process {_holder(path)}); their lock "
                f"{path} cannot be opened",
                "if that process has ended, have the lock removed; or name another folder",
            ) from error
        with suppress(OSError):
            if not path.stat().st_size:  # no process has signed it
                path.unlink()
        warnings.warn(
            f"{folder}: the file system has no locks ({path}: {error.strerror or error}), so that "
            "another process in this folder would not be noticed; make sure that there is none",
            stacklevel=5,
        )
        return False
    return True


def _sign(path: Path) -> None:
    """Write into the lock file which process holds it; some systems do not allow it."""
    with suppress(OSError):
        path.write_text(f"{os.getpid()} on {socket.gethostname()}", "utf-8")


def _holder(path: Path) -> str:
    with suppress(OSError, ValueError):
        if found := path.read_text("utf-8").strip():
            return found
    return "unknown"

"""Locks on files that end with the process that holds them, however it ends."""

import inspect
import os
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from pacl.interrupts import uninterrupted
from pacl.studies.errors import RunError

PATIENCE_S = 2.0
"""Who holds a lock may be just about to end."""

_HARD: dict[str, Any] = (
    {"fallback_to_soft": False}
    if "fallback_to_soft" in inspect.signature(FileLock.__init__).parameters
    else {}
)
"""Never a lock that a killed process would leave behind; older versions of filelock have none."""

_ours: set[tuple[Path, int]] = set()
"""Locks of folders that threads of this process hold."""


@contextmanager
def sole_worker(folder: Path | str) -> Iterator[None]:
    """Work in a folder while no other process does; refuses if one does already.

    The lock is a file beside the folder, which is gone afterwards. Whoever has it may take it
    again. Where the file system gives no locks, a warning says so, and the work goes on.
    """
    folder = Path(folder).resolve()
    path = folder.with_name(f".{folder.name}.lock")
    me = (path, threading.get_ident())
    if me in _ours:
        yield
        return
    lock = _locked(path, folder)
    _ours.add(me)
    try:
        yield
    finally:
        with uninterrupted():
            _ours.discard(me)
            if lock is not None:
                with suppress(OSError):  # some systems remove it when it is let go
                    path.unlink()
                lock.release()


def new_lock(path: Path) -> BaseFileLock:
    """A lock that is not taken yet."""
    return FileLock(path, mode=0o666, **_HARD)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Do something while no other process does it."""
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
        raise RunError(
            path,
            f"the file system gives no lock ({error.strerror or error}), and processes that share "
            "a folder need one",
            "name a folder on another file system, such as a local disk",
        ) from error
    return lock


def is_free(path: Path) -> bool:
    """Whether a file is there and nobody holds it."""
    if not path.exists():
        return False
    try:
        with new_lock(path).acquire(blocking=False):
            return True
    except Timeout:
        return False


def _locked(path: Path, folder: Path) -> BaseFileLock | None:
    """The lock of a folder; None if there can be none."""
    lock = new_lock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=PATIENCE_S)
        _sign(path)
    except Timeout:
        raise RunError(
            folder,
            f"another process is working there (process {_holder(path)}, which holds {path})",
            "wait until it has ended or stop it, then give the same command again; or name another "
            "folder",
        ) from None
    except OSError as error:
        if isinstance(error, PermissionError) and path.exists():
            raise RunError(
                folder,
                f"somebody else has worked there, or still does (process {_holder(path)}), and "
                f"their lock {path} cannot be opened",
                "if nobody works there any more, have it removed; or name another folder",
            ) from error
        with suppress(OSError):
            if not path.stat().st_size:  # nobody has signed it
                path.unlink()
        warnings.warn(
            f"{folder}: no lock can be had ({path}: {error.strerror or error}), so that another "
            "process that works there would not be noticed; see to it that there is none",
            stacklevel=5,
        )
        return None
    return lock


def _sign(path: Path) -> None:
    """Say in the file of a lock who has it; some systems let nobody write there."""
    with suppress(OSError):
        path.write_text(f"{os.getpid()} on {socket.gethostname()}", "utf-8")


def _holder(path: Path) -> str:
    with suppress(OSError, ValueError):
        if found := path.read_text("utf-8").strip():
            return found
    return "unknown"

"""A journal file that a killed process does not block."""

from pathlib import Path

from filelock import BaseFileLock
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

from pacl.file_bytes import open_file
from pacl.locks import take

MOST = 2**30
"""Bytes of a journal."""


class HeldLock(JournalFileOpenLock):
    """A lock that ends with its process; Optuna's own would stay for 30 s."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path
        self._lock: BaseFileLock | None = None

    def acquire(self) -> bool:
        """Wait for the lock; after a signal it may be held already."""
        if self._lock is None:
            self._lock = take(self._path)
        return True

    def release(self) -> None:
        """Release it."""
        if self._lock is not None:
            self._lock.release()
        self._lock = None


def open_journal(path: Path) -> JournalStorage:
    """Open a journal, or start one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        open_file(path, MOST).close()  # refuses a pipe, which Optuna would wait for
    lock = HeldLock(path.with_name(f".{path.name}.lock"))
    return JournalStorage(JournalFileBackend(str(path), lock))

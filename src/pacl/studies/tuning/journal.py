"""A journal file that a killed process leaves open to others at once."""

import os
from pathlib import Path

from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

from pacl.file_bytes import open_file
from pacl.studies.tuning.lock import LOCKS, take_lock

MOST = 2**30
"""Bytes of a journal."""


class HeldLock(JournalFileOpenLock):
    """A lock that ends with the process that holds it; Optuna's own would outlive it by 30 s."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Wait for the lock."""
        self._file = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o666)
        return take_lock(self._file, wait=True)

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None:
            os.close(self._file)
        self._file = None


def open_journal(path: Path) -> JournalStorage:
    """Open a journal, or begin one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        open_file(path, MOST).close()  # refuses a pipe, which Optuna would wait for
    lock = HeldLock(path.with_name(f".{path.name}.lock")) if LOCKS else None
    return JournalStorage(JournalFileBackend(str(path), lock))

"""Locks on files that end with the process that holds them, however it ends."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCKS = importlib.util.find_spec("fcntl") is not None
"""Not on Windows."""


def take_lock(file: int, *, wait: bool) -> bool:
    """Lock an open file until it is closed or the process ends; False if somebody else has it."""
    if not LOCKS:
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def is_free(path: Path) -> bool:
    """Whether a file is there and nobody holds it."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return take_lock(file, wait=False)
    finally:
        os.close(file)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Do something while no other process does it."""
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        take_lock(file, wait=True)
        yield
    finally:
        os.close(file)

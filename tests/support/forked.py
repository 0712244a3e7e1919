"""Processes that start at once: copies of one that has imported all they need.

Starting Python with torch takes seconds. Tests need a process that begins with nothing only where
that is the point; others get a copy here, on Linux. What ships starts its workers anew
(`pacl.work`). A copy has the environment of the first test that asked for one.
"""

import multiprocessing
import os
import runpy
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pacl.work.processes import ONE_THREAD

IMPORTED = [
    *("distributed", "matplotlib.pyplot", "onnxruntime", "optuna", "psycopg", "sklearn.ensemble"),
    *("torch", "torch._dynamo", "pacl.cli.tune", "pacl.cohort_tables", "pacl.detect"),
    *("pacl.report", "pacl.rivals", "pacl.studies.scheduler", "pacl.studies.weights"),
    *("pacl.studies.tuning.search", "pacl.studies.tuning.storage", "pacl.rr"),
]


@cache
def context() -> Any:
    """How such processes are started; the one that is copied starts with the first call."""
    if not sys.platform.startswith("linux"):  # elsewhere a copy may not have what is loaded
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(IMPORTED)
    with pytest.MonkeyPatch.context() as patched:
        for name in ONE_THREAD:
            patched.setenv(name, "1")
        patched.setenv("PACL_CHECK_AXES", "")
        forkserver.ensure_running()
    return found


class Forked:
    """A process in a session of its own; `said` is the file that takes what it says."""

    def __init__(self, said: Path, function: Callable[..., None], *args: Any) -> None:
        self.said = said
        self._process = context().Process(target=_begin, args=(said, function, args))
        self._process.start()

    @classmethod
    def module(cls, said: Path, name: str, *words: object) -> "Forked":
        """`python -m name words`."""
        return cls(said, _run_module, name, tuple(map(str, words)))

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def wait(self, timeout: float | None = None) -> None:
        self._process.join(timeout)

    def communicate(self, timeout: float | None = None) -> str:
        """What it said, once it has ended."""
        self.wait(timeout)
        return self.said.read_text() if self.said.exists() else ""


def _begin(said: Path, function: Callable[..., None], args: tuple[Any, ...]) -> None:
    """Take a session and a file of one's own, then do what was asked."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with said.open("a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    function(*args)


def _run_module(name: str, words: tuple[str, ...]) -> None:
    sys.argv = [name, *words]
    runpy.run_module(name, run_name="__main__", alter_sys=True)

"""A real Dask cluster on this machine: a scheduler and workers that can be killed."""

import os
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from support.forked import Forked

HOST = "127.0.0.1"


class DaskCluster:
    """A scheduler and some workers, which are kept in number until the cluster is closed.

    With nannies, workers that end by themselves are started again, too.
    """

    def __init__(self, folder: Path, workers: int = 2, *, nannies: bool = False) -> None:
        pytest.importorskip("distributed", reason="needs Dask")
        self.folder, self.port, self.nannies = folder, _free_port(), nannies
        self.address = f"tcp://{HOST}:{self.port}"
        self.scheduler = self._start_scheduler()
        self.workers = [self._start_worker() for _ in range(workers)]
        try:
            self.wait_for(workers)
        except BaseException:
            self.close()
            raise

    def _start(self, *words: str) -> Forked:
        return Forked.module(self.folder / "dask.log", "dask", *words)

    def _start_scheduler(self) -> Forked:
        return self._start("scheduler", "--host", HOST, "--port", str(self.port), "--no-dashboard")

    def _start_worker(self) -> Forked:
        return self._start(
            *("worker", self.address, "--nthreads", "1", "--no-dashboard"),
            "--nanny" if self.nannies else "--no-nanny",
            *("--local-directory", str(self.folder / "scratch")),
        )

    def wait_for(self, workers: int, seconds: float = 60.0) -> None:
        """Wait until so many workers have joined."""
        from distributed import Client

        until = time.monotonic() + seconds
        while True:
            with suppress(OSError, TimeoutError), Client(self.address, timeout=5) as client:
                client.wait_for_workers(workers, timeout=seconds)
                return
            if time.monotonic() > until:
                raise AssertionError((self.folder / "dask.log").read_text())

    def kill_worker(self, number: int = 0) -> None:
        """Kill a worker as if memory ran out, and start another in its place."""
        _kill(self.workers[number])
        self.workers[number] = self._start_worker()

    def kill_scheduler(self) -> None:
        """Kill the scheduler; workers end with it, and all are started again."""
        _kill(self.scheduler)
        for worker in self.workers:
            _kill(worker)
        self.scheduler = self._start_scheduler()
        self.workers = [self._start_worker() for _ in self.workers]

    def close(self) -> None:
        """Kill all."""
        for process in (*self.workers, self.scheduler):
            _kill(process)


def _kill(process: Forked) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # it has no session yet if it has just begun
    process.wait(timeout=60)
    assert process.poll() is not None, "it outlives SIGKILL"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return found.getsockname()[1]

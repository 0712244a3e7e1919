"""Tasks in several processes of this machine, which end with this one."""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from pacl.interrupts import uninterrupted
from pacl.work.tasks import (
    MOST_DEATHS,
    BrokenTaskError,
    Ended,
    OnMessage,
    Result,
    Task,
    Work,
    attempt,
    no_message,
)

LOOK_EVERY_S = 1.0
"""Signals are noticed at least this often while waiting for processes."""
GRACE_S = 5.0
"""Processes that are stopped have this time to clean up; then they are killed."""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What numerical libraries look at when they start: each process has one core."""


@dataclass(frozen=True, slots=True)
class _Message:
    """From a process: a message about a task, its end, or a traceback."""

    kind: Literal["message", "ended", "broken"]
    content: Any


@dataclass(eq=False, slots=True)
class _Worker:
    """A process, the line to it, and the task it is on."""

    process: BaseProcess
    line: "Connection[Any, _Message]"
    task: tuple[str, Any] | None = None


class Processes:
    """Does tasks in `count` processes of this machine, with one thread each.

    They start with their first task and end with this process, also if it is killed. A process that
    is killed is replaced.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._workers: list[_Worker] = []

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[tuple[str, Task]],
        *,
        on_message: OnMessage = no_message,
        most_deaths: int = MOST_DEATHS,
    ) -> Iterator[Ended[Result]]:
        """Do all tasks; they are given in the order in which they end."""
        waiting, again = iter(tasks), deque[tuple[str, Task]]()
        deaths: Counter[str] = Counter()
        content = pickle.dumps(work)

        def give() -> None:
            """Give a task to each worker without one, and start workers as long as there are."""
            while len(self._busy) < self.count:
                task = again.popleft() if again else next(waiting, None)
                if task is None:
                    return
                self._give(task, content)

        give()
        while self._busy:
            for line in wait(list(self._busy), LOOK_EVERY_S):
                worker = self._busy[line]  # type: ignore[index]
                assert worker.task is not None  # noqa: S101 - for the type checker
                name, _ = worker.task
                try:
                    message = worker.line.recv()
                except (EOFError, OSError):
                    again.append(worker.task)
                    status = self._bury(worker)
                    deaths[name] += 1
                    if deaths[name] >= most_deaths:
                        again.pop()
                        yield Ended(name, failure=_died(deaths[name], status))
                    continue
                if message.kind == "message":
                    on_message(name, message.content)
                    continue
                worker.task = None
                if message.kind == "broken":
                    raise BrokenTaskError(name, message.content)
                give()  # before whoever takes the result is busy with it
                yield message.content
            give()

    @property
    def _busy(self) -> "dict[Connection[Any, _Message], _Worker]":
        return {one.line: one for one in self._workers if one.task is not None}

    def _give(self, task: tuple[str, Any], work: bytes) -> None:
        idle = next((one for one in self._workers if one.task is None), None)
        worker = idle or self._start()
        worker.task = task
        with suppress(OSError):  # it has ended, which is noticed when it is waited for
            worker.line.send((work, task[0], pickle.dumps(task[1])))

    def _start(self) -> _Worker:
        context = new_context()
        with uninterrupted(), _ctrl_c_is_ours():
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            worker = _Worker(process, ours)
            self._workers.append(worker)
        return worker

    def _bury(self, worker: _Worker) -> int:
        """Forget a process that has ended; its status."""
        with uninterrupted():
            worker.process.join()
            worker.line.close()
            self._workers.remove(worker)
        return worker.process.exitcode or 0

    def close(self) -> None:
        """End all processes."""
        with uninterrupted():
            for worker in self._workers:
                worker.process.terminate()
            until = time.monotonic() + GRACE_S
            for worker in self._workers:
                worker.process.join(max(0.0, until - time.monotonic()))
                worker.process.kill()
                worker.process.join()
                worker.line.close()
            self._workers.clear()


def new_context() -> SpawnContext:
    """How processes start: as new ones, with nothing of this one's state."""
    return multiprocessing.get_context("spawn")


def _died(times: int, status: int) -> str:
    return (
        f"its process ended {times} times, with status {status}, as if it was killed, most likely "
        "because memory ran out; use fewer --workers, or more memory"
    )


@contextmanager
def _ctrl_c_is_ours() -> Iterator[None]:
    """Processes that start in this block do not get Ctrl-C: this process handles it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else it starts in the block, and lets Ctrl-C through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(line: "Connection[_Message, tuple[bytes, str, bytes]]") -> None:
    """Do one task after the other, until the parent ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # before anything numerical is imported

    def say(message: Any) -> None:
        line.send(_Message("message", message))

    with suppress(EOFError, BrokenPipeError):  # the parent was killed
        while True:
            work, name, task = line.recv()
            try:
                ended = attempt(name, pickle.loads(work), pickle.loads(task), say)  # noqa: S301
                line.send(_Message("ended", ended))
            except (EOFError, BrokenPipeError):
                raise
            except Exception:
                line.send(_Message("broken", traceback.format_exc()))


def _end_with_parent() -> None:
    """End with the parent."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

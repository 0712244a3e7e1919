"""Tasks in separate processes, which end with the process that started them."""

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pacl.interrupts import uninterrupted
from pacl.studies.errors import RunError

LOOK_EVERY_S = 1.0
"""Signals are noticed at least this often while waiting for processes."""

GRACE_S = 5.0
"""Processes that are stopped have this time to clean up; then they are killed."""

Task = TypeVar("Task")
Say = Callable[[Any], None]
"""Sends a message about a task to the process that started this one."""


@dataclass(frozen=True, slots=True)
class _Message:
    """From a process: a message about a task, its result, or its traceback."""

    kind: Literal["message", "result", "broken"]
    content: Any


@dataclass(eq=False, slots=True)
class _Worker(Generic[Task]):
    process: SpawnProcess
    line: "Connection[Any, _Message]"
    task: Task | None = None


def work_in_processes(
    work: Callable[[Task, Say], Any],
    tasks: Sequence[Task],
    *,
    processes: int,
    where: Path,
    setup: Callable[[], None],
    on_message: Callable[[Task, Any], None] = lambda task, message: None,
    on_result: Callable[[Task, Any], None],
) -> None:
    """Do all tasks in processes, which end with this one, however it ends.

    Parameters
    ----------
    work
        Called with a task, and with a function that sends messages to `on_message`. A function of a
        module, as `setup`.
    tasks
        What to do, in this order.
    processes
        How many at the same time.
    where
        Folder that all work in, for error messages.
    setup
        Called in each process before its first task.
    on_message, on_result
        Called here with a task and a message about it, and with a task and its result.
    """
    left = list(reversed(tasks))
    with _started(work, setup, min(processes, len(tasks))) as workers:
        busy = {worker.line: worker for worker in workers}
        for worker in workers:
            _give(worker, left.pop(), where)
        while busy:
            for line in wait(list(busy), LOOK_EVERY_S):
                worker = busy[line]  # type: ignore[index]
                message = _receive(worker, where)
                assert worker.task is not None  # noqa: S101 - for the type checker
                if message.kind == "message":
                    on_message(worker.task, message.content)
                    continue
                if message.kind == "broken":
                    raise RuntimeError(f"{worker.task} broke off:\n{message.content}")
                on_result(worker.task, message.content)
                if left:
                    _give(worker, left.pop(), where)
                else:
                    del busy[worker.line]


@contextmanager
def _started(
    work: Callable[[Task, Say], Any], setup: Callable[[], None], count: int
) -> "Iterator[list[_Worker[Task]]]":
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker[Task]] = []
    try:
        with uninterrupted(), _ctrl_c_is_ours():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(work, setup, theirs), daemon=True)
                process.start()
                theirs.close()
                workers.append(_Worker(process, ours))
        yield workers
    finally:
        with uninterrupted():
            for worker in workers:
                worker.process.terminate()
            until = time.monotonic() + GRACE_S
            for worker in workers:
                worker.process.join(max(0.0, until - time.monotonic()))
                worker.process.kill()
                worker.process.join()
                worker.line.close()


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


def _give(worker: "_Worker[Task]", task: Task, where: Path) -> None:
    worker.task = task
    try:
        worker.line.send(task)
    except OSError:
        raise _killed(worker, where) from None


def _receive(worker: "_Worker[Task]", where: Path) -> _Message:
    try:
        return worker.line.recv()
    except (EOFError, OSError):
        raise _killed(worker, where) from None


def _killed(worker: "_Worker[Task]", where: Path) -> RunError:
    worker.process.join()
    return RunError(
        where,
        f"a process ended with status {worker.process.exitcode}, as if it was killed, most likely "
        "because memory ran out",
        "finished work is kept; give the same command again, with fewer --threads if memory ran "
        "out",
    )


def _serve(
    work: Callable[[Task, Say], Any],
    setup: Callable[[], None],
    line: "Connection[_Message, Task]",
) -> None:
    """Do one task after the other, until the parent ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    setup()

    def say(message: Any) -> None:
        line.send(_Message("message", message))

    with suppress(EOFError, BrokenPipeError):  # the parent was killed
        while True:
            task = line.recv()
            try:
                message = _Message("result", work(task, say))
            except Exception:
                message = _Message("broken", traceback.format_exc())
            line.send(message)


def _end_with_parent() -> None:
    """End with the parent."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

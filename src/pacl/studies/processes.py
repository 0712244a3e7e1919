"""Work in processes of their own, which end with the process that started them."""

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
"""Where nothing interrupts a wait for others, a signal is heeded after so long."""

GRACE_S = 5.0
"""Processes that are stopped may clear away for so long; then they are killed."""

Task = TypeVar("Task")
Say = Callable[[Any], None]
"""Tells whoever started the processes how far a task has come."""


@dataclass(frozen=True, slots=True)
class _Message:
    """From a process: word of a task under way, what came of it, or how it broke off."""

    kind: Literal["word", "outcome", "broken"]
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
    begin: Callable[[], None],
    hear: Callable[[Task, Any], None] = lambda task, word: None,
    done: Callable[[Task, Any], None],
) -> None:
    """Do every task in one of the processes. They end with this one, however it ends.

    Parameters
    ----------
    work
        Called with a task, and with what tells `hear` of it. A function of a module, as `begin`.
    tasks
        What to do, in this order.
    processes
        How many at once.
    where
        Folder that all are working in, for messages.
    begin
        Called in each process before its first task.
    hear, done
        Called here with a task and a word of it, and with what came of it.
    """
    left = list(reversed(tasks))
    with _started(work, begin, min(processes, len(tasks))) as workers:
        busy = {worker.line: worker for worker in workers}
        for worker in workers:
            _give(worker, left.pop(), where)
        while busy:
            for line in wait(list(busy), LOOK_EVERY_S):
                worker = busy[line]  # type: ignore[index]
                message = _receive(worker, where)
                assert worker.task is not None  # noqa: S101 - for the type checker
                if message.kind == "word":
                    hear(worker.task, message.content)
                    continue
                if message.kind == "broken":
                    raise RuntimeError(f"{worker.task} broke off:\n{message.content}")
                done(worker.task, message.content)
                if left:
                    _give(worker, left.pop(), where)
                else:
                    del busy[worker.line]


@contextmanager
def _started(
    work: Callable[[Task, Say], Any], begin: Callable[[], None], count: int
) -> "Iterator[list[_Worker[Task]]]":
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker[Task]] = []
    try:
        with uninterrupted(), _ctrl_c_is_ours():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(work, begin, theirs), daemon=True)
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
    """Keep Ctrl-C from processes that start meanwhile: whoever starts them decides."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else it starts with them, and lets Ctrl-C through again
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
        f"a process that worked here ended with status {worker.process.exitcode}, as if it was "
        "killed, most likely for want of memory",
        "what is finished is kept; go on with the same command, and with fewer --threads if memory "
        "was too little",
    )


def _serve(
    work: Callable[[Task, Say], Any],
    begin: Callable[[], None],
    line: "Connection[_Message, Task]",
) -> None:
    """Do one task after the other, until whoever gives them ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    begin()

    def say(word: Any) -> None:
        line.send(_Message("word", word))

    with suppress(EOFError, BrokenPipeError):  # whoever gives tasks has just been killed
        while True:
            task = line.recv()
            try:
                message = _Message("outcome", work(task, say))
            except Exception:
                message = _Message("broken", traceback.format_exc())
            line.send(message)


def _end_with_parent() -> None:
    """Nobody is left to work for."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

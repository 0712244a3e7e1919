"""Fits of a study, in this process or in several, which end with it; one core each."""

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Literal, TypeVar

import torch

from pacl.errors import PaclError
from pacl.interrupts import uninterrupted
from pacl.studies.errors import RunError

LOOK_EVERY_S = 1.0
"""Signals are noticed at least this often while waiting for processes."""
GRACE_S = 5.0
"""Processes that are stopped have this time to clean up; then they are killed."""
NAMED = 3
"""Failures that an error names."""

Fit = TypeVar("Fit")
Say = Callable[[Any], None]
"""Sends a message about a fit to the process that started this one."""
Work = Callable[[Fit, Say], None]


@dataclass(frozen=True, slots=True)
class _Message:
    """From a process: a message about a fit, why it failed or None, or its traceback."""

    kind: Literal["message", "ended", "broken"]
    content: Any


@dataclass(eq=False, slots=True)
class _Worker:
    process: SpawnProcess
    line: "Connection[Any, _Message]"
    fit: str = ""


def run_fits(
    work: Work[Fit],
    fits: Mapping[str, Fit],
    *,
    processes: int,
    where: Path,
    setup: Callable[[], object] = object,
    on_message: Callable[[str, Any], None] = lambda name, message: None,
    on_finished: Callable[[str], None] = lambda name: None,
) -> None:
    """Run all fits; those that fail are named in one error at the end.

    Each fit has one core, so that its result does not depend on the number of processes.

    Parameters
    ----------
    work
        Called with a fit, and with a function that sends messages to `on_message`. With several
        processes it must be a function of a module, as `setup`.
    fits
        What to do, by name, in this order.
    processes
        How many at the same time; 1 for this process.
    where
        Folder that all work in, for error messages.
    setup
        Called in each process before its first fit; by default nothing.
    on_message, on_finished
        Called with the name of a fit and a message, and with the name of a fit that has ended
        without an error.
    """
    failed: dict[str, str] = {}

    def ended(name: str, reason: str | None) -> None:
        if reason is None:
            on_finished(name)
        else:
            failed[name] = reason

    if processes == 1:
        with _one_core():
            setup()
            for name, fit in fits.items():
                ended(name, _failure(work, fit, partial(on_message, name)))
    else:
        with _started(work, setup, min(processes, len(fits))) as workers:
            _hand_out(fits, workers, where, on_message, ended)
    if failed:
        named = "; ".join(f"{name}: {reason}" for name, reason in list(failed.items())[:NAMED])
        more = f"; and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
        raise RunError(
            where,
            f"{len(failed)} of {len(fits)} fits failed: {named}{more}",
            "finished fits are kept; the same command tries the others again",
        )


def _hand_out(
    fits: Mapping[str, Fit],
    workers: list[_Worker],
    where: Path,
    on_message: Callable[[str, Any], None],
    ended: Callable[[str, str | None], None],
) -> None:
    """Give fits to processes until all have ended."""
    left = list(fits.items())[::-1]
    busy = {worker.line: worker for worker in workers}
    for worker in workers:
        _give(worker, *left.pop(), where)
    while busy:
        for line in wait(list(busy), LOOK_EVERY_S):
            worker = busy[line]  # type: ignore[index]
            message = _receive(worker, where)
            if message.kind == "message":
                on_message(worker.fit, message.content)
                continue
            if message.kind == "broken":
                raise RuntimeError(f"{worker.fit} broke off:\n{message.content}")
            ended(worker.fit, message.content)
            if left:
                _give(worker, *left.pop(), where)
            else:
                del busy[worker.line]


def _failure(work: Work[Fit], fit: Fit, say: Say) -> str | None:
    """Run a fit; why it failed, if it did."""
    try:
        work(fit, say)
    except (PaclError, OSError) as error:
        return str(error)
    return None


@contextmanager
def _one_core() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _started(work: Work[Fit], setup: Callable[[], object], count: int) -> Iterator[list[_Worker]]:
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker] = []
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


def _give(worker: _Worker, name: str, fit: Any, where: Path) -> None:
    worker.fit = name
    try:
        worker.line.send(fit)
    except OSError:
        raise _killed(worker, where) from None


def _receive(worker: _Worker, where: Path) -> _Message:
    try:
        return worker.line.recv()
    except (EOFError, OSError):
        raise _killed(worker, where) from None


def _killed(worker: _Worker, where: Path) -> RunError:
    worker.process.join()
    return RunError(
        where,
        f"a process ended with status {worker.process.exitcode}, as if it was killed, most likely "
        "because memory ran out",
        "finished work is kept; give the same command again, with fewer --threads if memory ran "
        "out",
    )


def _serve(work: Work[Fit], setup: Callable[[], object], line: "Connection[_Message, Fit]") -> None:
    """Run one fit after the other, until the parent ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    setup()

    def say(message: Any) -> None:
        line.send(_Message("message", message))

    with suppress(EOFError, BrokenPipeError):  # the parent was killed
        while True:
            fit = line.recv()
            try:
                message = _Message("ended", _failure(work, fit, say))
            except Exception:
                message = _Message("broken", traceback.format_exc())
            line.send(message)


def _end_with_parent() -> None:
    """End with the parent."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

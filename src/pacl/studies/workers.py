"""Runs trained side by side in processes of their own, one core each."""

import multiprocessing
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import SpawnProcess
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, Literal

import torch

from pacl.errors import PaclError
from pacl.studies.errors import RunError
from pacl.studies.plan import Plan
from pacl.studies.run import train_run
from pacl.training import EpochLog, Trainer
from pacl.training.allocator import keep_freed_memory

LOOK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """A run that is to be: its windows and its plan."""

    windows: Path
    plan: Plan


@dataclass(frozen=True, slots=True)
class _Said:
    """What a worker has to say of a run."""

    kind: Literal["epoch", "judged", "failed", "broken"]
    name: str
    log: EpochLog | None = None
    reason: str = ""


def train_in_processes(
    jobs: Mapping[str, Job],
    target: Path,
    *,
    processes: int,
    device: str = "cpu",
    tell: Callable[[str, EpochLog], None],
    judged: Callable[[str], None],
) -> dict[str, str]:
    """Train and judge every job in `target/NAME`, going on with those begun; why any failed.

    Every process uses one core, so that a run comes out the same however many there are. They end
    with this one, however it ends.
    """
    context = multiprocessing.get_context("spawn")
    tasks: Queue[Any] = context.Queue()
    said: Queue[_Said] = context.Queue()
    workers = [
        context.Process(target=_work, args=(tasks, said, target, device), daemon=True)
        for _ in range(min(processes, len(jobs)))
    ]
    for task in [*jobs.items(), *[None] * len(workers)]:
        tasks.put(task)
    failed: dict[str, str] = {}
    with _running(workers):
        for _ in range(len(jobs)):
            while (one := _next(said, workers, target)).kind == "epoch":
                assert one.log is not None  # noqa: S101 - for the type checker
                tell(one.name, one.log)
            if one.kind == "broken":
                raise RuntimeError(f"{one.name} broke off:\n{one.reason}")
            if one.kind == "failed":
                failed[one.name] = one.reason
            else:
                judged(one.name)
    return failed


@contextmanager
def _running(workers: list[SpawnProcess]) -> Iterator[None]:
    # Ignored while they start, so that they ignore it, too: whoever started them decides.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for worker in workers:
            worker.start()
    finally:
        signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _next(said: "Queue[_Said]", workers: list[SpawnProcess], target: Path) -> _Said:
    """Wait for the next word; a worker that died without one is told of."""
    while True:
        died = [worker.exitcode for worker in workers if worker.exitcode]
        try:
            return said.get(timeout=LOOK_EVERY_S)
        except queue.Empty:
            if died:
                raise RunError(
                    target,
                    f"a process that trained runs ended with status {died[0]}, as if it was killed",
                    "run the same command again, it goes on; with fewer --threads if memory was "
                    "too little",
                ) from None


def _work(tasks: "Queue[Any]", said: "Queue[_Said]", target: Path, device: str) -> None:
    """Train one run after the other until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    keep_freed_memory()
    for name, job in iter(tasks.get, None):

        def tell(log: EpochLog, trainer: Trainer, name: str = name) -> None:
            said.put(_Said("epoch", name, log))

        try:
            train_run(
                job.windows,
                target / name,
                job.plan,
                device=device,
                resume=True,
                tell=tell,
            )
            said.put(_Said("judged", name))
        except (PaclError, OSError) as error:
            said.put(_Said("failed", name, reason=str(error)))
        except Exception:
            said.put(_Said("broken", name, reason=traceback.format_exc()))


def _end_with_parent() -> None:
    """Nobody is left to train for."""
    import os

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

"""Runs trained side by side in processes of their own, one core each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from pacl.errors import PaclError
from pacl.studies.plan import Plan
from pacl.studies.processes import Say, work_in_processes
from pacl.studies.run import train_run
from pacl.training import EpochLog
from pacl.training.loop import keep_freed_memory


@dataclass(frozen=True, slots=True)
class Job:
    """A run that is to be: its windows and its plan."""

    windows: Path
    plan: Plan


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

    Every process uses one core, so that a run comes out the same however many there are.
    """
    failed: dict[str, str] = {}

    def done(task: tuple[str, Job], reason: str | None) -> None:
        if reason is None:
            judged(task[0])
        else:
            failed[task[0]] = reason

    work_in_processes(
        partial(_train, target, device),
        list(jobs.items()),
        processes=processes,
        where=target,
        begin=_one_core,
        hear=lambda task, log: tell(task[0], log),
        done=done,
    )
    return failed


def _one_core() -> None:
    torch.set_num_threads(1)
    keep_freed_memory()


def _train(target: Path, device: str, task: tuple[str, Job], say: Say) -> str | None:
    """Train a run, telling its epochs; why it failed, if it did."""
    name, job = task
    try:
        train_run(
            job.windows,
            target / name,
            job.plan,
            device=device,
            resume=True,
            tell=lambda log, trainer: say(log),
        )
    except (PaclError, OSError) as error:
        return str(error)
    return None

"""A fleet for each GPU of a machine: runs are divided among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from pacl.settings import Plan
from pacl.studies.fleet import train_fleet
from pacl.studies.processes import run_fits
from pacl.studies.progress import StudyReport
from pacl.training import EpochLog, usable_device
from pacl.work import Say


@dataclass(frozen=True, slots=True)
class Job:
    """A run to make: its windows and its plan."""

    windows: Path
    plan: Plan


@dataclass(frozen=True, slots=True)
class FleetTask:
    """Runs that one GPU trains together."""

    device: str
    jobs: Mapping[str, Job]


def gpus_of(device: str) -> tuple[str, ...]:
    """The GPUs that a device stands for: one that is named by number, else all of this machine."""
    number: int | None = usable_device(device).index
    if number is not None:
        return (f"cuda:{number}",)
    return tuple(f"cuda:{number}" for number in range(torch.cuda.device_count()))


def train_fleets(
    jobs: Mapping[str, Job], target: Path, gpus: Sequence[str], report: StudyReport
) -> None:
    """Train all runs, those that are alike as one fleet on each GPU; resumes those started.

    With several GPUs, each has a process of its own.
    """

    def tell(message: tuple[str, Any]) -> None:
        name, log = message
        if log is None:
            report.on_finished(name)
        else:
            report.on_epoch(name, log)

    for group in alike(jobs):
        tasks = shares(group, gpus)
        if len(tasks) == 1:
            _train_share(target, tasks[0], tell)
            continue
        run_fits(
            partial(_train_share, target),
            {f"fleet {at} on {one.device}": one for at, one in enumerate(tasks)},
            processes=len(tasks),
            where=target,
            on_message=lambda _, message: tell(message),
        )


def shares(jobs: Mapping[str, Job], gpus: Sequence[str]) -> list[FleetTask]:
    """Deal runs out to GPUs, one after the other; no more GPUs than runs.

    Neighbours are losses of one seed and fold, which take equally long: dealt out, each GPU gets
    about as many of each kind.
    """
    names = list(jobs)
    return [
        FleetTask(gpu, {name: jobs[name] for name in names[at :: len(gpus)]})
        for at, gpu in enumerate(gpus[: len(names)])
    ]


def alike(jobs: Mapping[str, Job]) -> list[dict[str, Job]]:
    """Groups of runs that can share a program."""
    groups: dict[object, dict[str, Job]] = {}
    for name, job in jobs.items():
        plan = job.plan
        batch = plan.sampler.subjects * plan.sampler.windows
        kind = (plan.encoder, batch, plan.train.keep, plan.augmentation)
        groups.setdefault(kind, {})[name] = job
    return list(groups.values())


def _train_share(target: Path, task: FleetTask, say: Say) -> None:
    """Train the runs of one GPU, and send their epochs."""

    def on_epoch(logs: dict[str, EpochLog]) -> None:
        for name, log in logs.items():
            say((name, log))

    train_fleet(
        {name: job.windows for name, job in task.jobs.items()},
        target,
        {name: job.plan for name, job in task.jobs.items()},
        device=task.device,
        resume=True,
        on_epoch=on_epoch,
        on_finished=lambda name: say((name, None)),
    )

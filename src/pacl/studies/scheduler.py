"""Many runs: as a fleet on each GPU, in processes on CPU cores, or on a cluster."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pacl.settings import ENCODERS, BranchesSettings, ObjectiveSettings, Plan
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.gpus import Job, gpus_of, train_fleets
from pacl.studies.processes import run_fits
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.provenance import open_windows
from pacl.studies.run import train_run
from pacl.training import keep_freed_memory, usable_device
from pacl.work import Say


def train_runs(
    jobs: Mapping[str, Job],
    target: Path | str,
    *,
    device: str = "auto",
    processes: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> dict[str, RunFolder]:
    """Train and evaluate all jobs, each in a folder of its name; resumes those that were started.

    Parameters
    ----------
    jobs
        Windows and plan of each run, by name.
    target
        Where the runs' folders go.
    device
        `cpu`, `cuda` for all GPUs of this machine, `cuda:1` for one of them, or `auto`: GPUs where
        there are some.
    processes
        How many runs are trained at the same time, where no fleet trains them.
    scheduler
        Address of a Dask scheduler: each run is trained alone by one of its workers, on the device
        of that worker.
    report
        Gets epochs and finished runs.
    """
    target = Path(target)
    for name in jobs:
        check_name(name, target / name)
    digests = {
        path: open_windows(path)[1].digest for path in {job.windows for job in jobs.values()}
    }
    report.on_runs(len(jobs))
    left = {}
    for name, job in jobs.items():
        if _finished(target / name, job, digests[job.windows]):
            report.on_finished(name)
        else:
            left[name] = job

    on = device
    if scheduler is None and (on := usable_device(device).type) == "cuda":
        stacked, left = _divided(left)
        for reason in dict.fromkeys(why_apart(job.plan) for job in left.values()):
            report.on_note(f"some runs are trained one by one: {reason}")
        train_fleets(stacked, target, gpus_of(device), report)
    run_fits(
        partial(_train, target, on),
        {name: (name, job) for name, job in left.items()},
        processes=processes,
        where=target,
        scheduler=scheduler,
        setup=keep_freed_memory,
        on_message=report.on_epoch,
        on_finished=report.on_finished,
    )
    return {name: RunFolder.open(target / name) for name in jobs}


def _train(target: Path, device: str, task: tuple[str, Job], say: Say) -> None:
    """Train a run, and send its epochs."""
    name, job = task
    train_run(
        job.windows,
        target / name,
        job.plan,
        device=device,
        resume=True,
        on_epoch=lambda log, trainer: say(log),
    )


def _finished(path: Path, job: Job, digest: str) -> bool:
    """Whether the run is finished, with the same plan and windows."""
    if not (path / "config.json").exists():
        return False
    run = RunFolder.open(path)
    same = run.origin is not None and run.origin.digest == digest
    return run.finished and same and not run.plan.differences(job.plan)


def _divided(jobs: Mapping[str, Job]) -> tuple[dict[str, Job], dict[str, Job]]:
    """Runs that a fleet can train, and those that are trained one by one."""
    apart = {name: job for name, job in jobs.items() if why_apart(job.plan) is not None}
    return {name: job for name, job in jobs.items() if name not in apart}, apart


def why_apart(plan: Plan) -> str | None:
    """Why a fleet cannot train a plan; None if it can."""
    if not isinstance(plan.encoder, BranchesSettings):
        return f"the encoder {ENCODERS.name_of(plan.encoder)} cannot be stacked"
    if plan.encoder.norm == "batch":
        return "batch normalisation cannot be stacked"
    if not isinstance(plan.objective, ObjectiveSettings):
        return f"the loss {plan.loss} cannot be stacked"
    return "a memory of past batches cannot be stacked" if plan.objective.memory else None

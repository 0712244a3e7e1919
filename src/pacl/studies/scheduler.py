"""Many runs: as a fleet where a GPU is, in processes where cores are."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pacl.studies.errors import RunError
from pacl.studies.fleet import train_fleet
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.provenance import open_windows, usable_device
from pacl.studies.workers import Job, train_in_processes
from pacl.training import EpochLog


def train_runs(
    jobs: Mapping[str, Job],
    target: Path | str,
    *,
    device: str = "auto",
    processes: int = 1,
    tell: Callable[[str, EpochLog], None] = lambda name, log: None,
    judged: Callable[[str], None] = lambda name: None,
) -> dict[str, RunFolder]:
    """Train and judge every job in a folder of its name, going on with those that were begun.

    Parameters
    ----------
    jobs
        Windows and plan of each run, by name.
    target
        Where the runs' folders go.
    device
        `cpu`, `cuda`, or `auto`: a GPU where there is one.
    processes
        How many runs are trained at once where no fleet does it.
    tell
        Called with a run's name and what came of an epoch of it.
    judged
        Called with a run's name once it is trained and judged.
    """
    target = Path(target)
    for name in jobs:
        check_name(name, target / name)
    digests = {
        path: open_windows(path)[1].digest for path in {job.windows for job in jobs.values()}
    }
    left = {}
    for name, job in jobs.items():
        if _finished(target / name, job, digests[job.windows]):
            judged(name)
        else:
            left[name] = job

    def tell_all(logs: dict[str, EpochLog]) -> None:
        for name, log in logs.items():
            tell(name, log)

    if on_gpu := usable_device(device).type == "cuda":
        stacked, left = _divided(left)
        for group in _alike(stacked):
            train_fleet(
                {name: job.windows for name, job in group.items()},
                target,
                {name: job.plan for name, job in group.items()},
                device=device,
                resume=True,
                tell=tell_all,
                judged=judged,
            )
    if left:
        failed = train_in_processes(
            left,
            target,
            processes=processes,
            device="cuda" if on_gpu else "cpu",
            tell=tell,
            judged=judged,
        )
        if failed:
            raise RunError(
                target,
                f"{len(failed)} of {len(jobs)} runs failed: "
                + "; ".join(dict.fromkeys(failed.values())),
                "what is finished is kept; give other settings in another folder",
            )
    return {name: RunFolder.open(target / name) for name in jobs}


def _finished(path: Path, job: Job, digest: str) -> bool:
    """Whether a run is there already and is the one that is meant."""
    if not (path / "config.json").exists():
        return False
    run = RunFolder.open(path)
    same = run.origin is not None and run.origin.digest == digest
    return run.finished and same and not run.plan.differences(job.plan)


def _divided(jobs: Mapping[str, Job]) -> tuple[dict[str, Job], dict[str, Job]]:
    """Runs that a fleet can take, and those that look at a batch, or past ones, of their own."""
    apart = {
        name: job
        for name, job in jobs.items()
        if job.plan.encoder.norm == "batch" or job.plan.objective.memory
    }
    return {name: job for name, job in jobs.items() if name not in apart}, apart


def _alike(jobs: Mapping[str, Job]) -> list[dict[str, Job]]:
    """Groups of runs that can share a program."""
    groups: dict[object, dict[str, Job]] = {}
    for name, job in jobs.items():
        plan = job.plan
        batch = plan.sampler.patients * plan.sampler.windows
        kind = (
            plan.encoder,
            batch,
            plan.train.keep,
            plan.train.respiratory_arrhythmia,
            plan.train.faults,
        )
        groups.setdefault(kind, {})[name] = job
    return list(groups.values())

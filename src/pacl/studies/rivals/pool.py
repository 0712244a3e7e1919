"""Many fits side by side, each in a process with one core."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from pacl.errors import PaclError
from pacl.studies.errors import RunError
from pacl.studies.processes import Say, work_in_processes
from pacl.studies.rivals.division import Division, by_patient, by_window, everybody
from pacl.studies.rivals.job import RivalJob, run_job
from pacl.windows import WindowSet


@dataclass(frozen=True, slots=True)
class Place:
    """Where a study's windows are and its results go.

    Parameters
    ----------
    target
        Folder of the study.
    windows
        Window sets by the name of their cohort.
    folds
        Of each cohort.
    fold_seed
        What patients are dealt out by.
    few
        Numbers of patients that probes of self-supervised systems are fitted on.
    device
        `cpu` or `cuda`.
    """

    target: Path
    windows: Mapping[str, Path]
    folds: Mapping[str, int]
    fold_seed: int
    few: tuple[int, ...]
    device: str


def run_jobs(
    jobs: Iterable[RivalJob],
    place: Place,
    *,
    processes: int = 1,
    tell: Callable[[RivalJob], None] = lambda job: None,
) -> None:
    """Fit all. What failed is told of at the end, what is finished stays."""
    left = list(jobs)
    failed: list[str] = []

    def done(job: RivalJob, reason: str | None) -> None:
        if reason is not None:
            failed.append(f"{job.path} ({reason})")
        tell(job)

    if processes == 1:
        with _one_core():
            for job in left:
                done(job, _fit(place, job))
    else:
        work_in_processes(
            partial(_fit, place),
            left,
            processes=processes,
            where=place.target,
            begin=_one_of_many,
            done=done,
        )
    if failed:
        raise RunError(
            place.target,
            f"{len(failed)} of {len(left)} fits failed, the first: {failed[0]}",
            "what is finished is kept; the same command tries the others again",
        )


@contextmanager
def _one_core() -> Iterator[None]:
    """As fits have one each, so that there may be one or many at a time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)


def _one_of_many() -> None:
    """A core each; and let cuDNN try: its guess for long convolutions is many times slower."""
    torch.set_num_threads(1)
    threadpool_limits(1)
    torch.backends.cudnn.benchmark = True


def _fit(place: Place, job: RivalJob, say: Say | None = None) -> str | None:
    """Fit and keep the result; why it failed, if it did. There is nothing to say meanwhile."""
    learned = _opened(place.windows[job.learned])
    judged = _opened(place.windows[job.judged])
    try:
        result = run_job(
            job,
            learned,
            judged,
            _division(place, job, learned, judged),
            few=place.few
            if job.study == "main" and job.learned == next(iter(place.windows))
            else (),
            device=torch.device(place.device),
        )
        result.write(place.target / job.path, job)
    except (PaclError, OSError, RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _division(place: Place, job: RivalJob, learned: WindowSet, judged: WindowSet) -> Division:
    if job.study == "elsewhere":
        return everybody(learned, judged)
    folds = place.folds[job.learned]
    if job.study == "leak":
        apart = job.condition == "windows apart"
        return by_window(learned, folds, job.fold, place.fold_seed, apart=apart)
    found = by_patient(learned, folds, job.fold, place.fold_seed)
    return found.few(learned, job.patients, job.seed, job.fold) if job.patients else found


@lru_cache(maxsize=4)
def _opened(path: Path) -> WindowSet:
    return WindowSet.open(path)

"""The study: tune on validation patients, repeat with every seed, then the harder questions."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from pacl.rivals.registry import system_named
from pacl.studies.errors import RunError
from pacl.studies.provenance import as_json
from pacl.studies.rivals.frame import write_frames
from pacl.studies.rivals.job import JobResult, RivalJob, is_done
from pacl.studies.rivals.pool import Place, run_jobs
from pacl.studies.rivals.protocol import RivalsProtocol
from pacl.whole import write_whole

METHODS = "methods.json"


def run_rivals(
    windows: Mapping[str, Path],
    target: Path,
    protocol: RivalsProtocol,
    *,
    device: str = "cpu",
    processes: int = 1,
    tell: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> None:
    """Fit and judge every system by the protocol; goes on where it was interrupted.

    Parameters
    ----------
    windows
        Window sets in ms by cohort: the first is studied, a second one is gone to and come from.
    target
        Folder of the study: `jobs/` with what every fit said, then the frames.
    protocol
        What is fitted.
    device, processes
        Where to compute, and how many fits at once.
    tell
        Called with a stage, how many of its fits are done and how many there are.
    """
    if not 1 <= len(windows) <= 2:
        raise RunError(target, f"{len(windows)} cohorts", "give one, or one and another")
    cohort, *others = windows
    place = Place(
        target,
        windows,
        {cohort: protocol.folds, **dict.fromkeys(others, protocol.other_folds)},
        protocol.fold_seed,
        protocol.few,
        device,
    )

    def run(stage: str, jobs: list[RivalJob]) -> list[RivalJob]:
        left = [job for job in dict.fromkeys(jobs) if not is_done(target, job)]
        done = 0

        def one(job: RivalJob) -> None:
            nonlocal done
            done += 1
            tell(stage, done, len(left))

        run_jobs(left, place, processes=processes, tell=one)
        return jobs

    tuned = run("tuning", [*protocol.tuning(cohort)])
    for other in others:
        tuned += run(f"tuning on {other}", [*protocol.tuning(other, other=True)])
    scores = {job: _score(target, job) for job in tuned}

    def chosen(name: str, method: str, fold: int) -> int:
        of_trial = {
            trial: np.mean(
                [
                    score
                    for job, score in scores.items()
                    if (job.judged, job.method, job.trial) == (name, method, trial)
                    and fold in (-1, job.fold)
                ]
            )
            for trial in range(protocol.trials)
        }
        return max(of_trial, key=lambda trial: of_trial[trial])

    kept = run("every seed", [*protocol.repeated(cohort, chosen)])
    kept += run("few patients", [*protocol.labels(cohort, chosen)])
    kept += run("windows of known patients", [*protocol.leak(cohort, chosen)])
    for other in others:
        kept += run(
            f"{cohort} to {other}", [*protocol.elsewhere(cohort, other, chosen, other=False)]
        )
        kept += run(
            f"{other} to {cohort}", [*protocol.elsewhere(other, cohort, chosen, other=True)]
        )
    write_frames(target, kept, windows)
    write_whole(target / METHODS, as_json(_methods(protocol, windows, chosen)))


def _score(target: Path, job: RivalJob) -> float:
    found = JobResult.read(target / job.path).validation
    if found is None:
        raise RunError(target / job.path, "it was judged on no validation patients", "remove it")
    return found


def _methods(
    protocol: RivalsProtocol, windows: Mapping[str, Path], chosen: Callable[[str, str, int], int]
) -> dict[str, object]:
    cohort, *others = windows
    found: dict[str, object] = {}
    for name in protocol.methods:
        system = system_named(name)
        found[name] = {
            "title": system.title,
            "kind": system.kind,
            "trials": [dict(trial) for trial in system.trials[: protocol.trials]],
            "chosen": {
                cohort: [chosen(cohort, name, fold) for fold in range(protocol.folds)],
                **{other: chosen(other, name, -1) for other in others},
            },
        }
    return found

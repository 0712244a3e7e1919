"""The study: tune on validation patients, repeat with every seed, then the harder questions."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.rivals.registry import system_named
from pacl.stored import as_read, read_json
from pacl.studies.errors import RunError
from pacl.studies.lock import sole_worker
from pacl.studies.provenance import as_json
from pacl.studies.rivals.division import fewest_learned_from
from pacl.studies.rivals.frame import write_frames
from pacl.studies.rivals.job import JobResult, RivalJob, is_done, rename_former_systems
from pacl.studies.rivals.pool import Place, run_jobs
from pacl.studies.rivals.protocol import RivalsProtocol
from pacl.studies.window_digest import digest_of
from pacl.windows import WindowSet

METHODS = "methods.json"
STUDY = "study.json"
KEPT = ("folds", "other_folds", "fold_seed", "few")
"""Of the protocol: what the fits that are there depend on, and do not say themselves."""


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
        Folder of the study: `study.json` with what was studied, `jobs/` with what every fit
        said, then the frames.
    protocol
        What is fitted.
    device, processes
        Where to compute, and how many fits at once.
    tell
        Called with a stage, how many of its fits are done and how many there are.
    """
    if not 1 <= len(windows) <= 2:
        raise RunError(target, f"{len(windows)} cohorts", "give one, or one and another")
    _check_few(windows[next(iter(windows))], protocol)
    with sole_worker(target):
        _check_same(windows, target, protocol)
        rename_former_systems(target)
        _run(windows, target, protocol, device, processes, tell)


def _run(
    windows: Mapping[str, Path],
    target: Path,
    protocol: RivalsProtocol,
    device: str,
    processes: int,
    tell: Callable[[str, int, int], None],
) -> None:
    """All stages, in order."""
    cohort, *others = windows
    place = Place(
        target,
        windows,
        {cohort: protocol.folds, **dict.fromkeys(others, protocol.other_folds)},
        protocol.fold_seed,
        protocol.few,
        device,
    )

    def run(stage: str, jobs: Iterable[RivalJob]) -> list[RivalJob]:
        jobs = list(dict.fromkeys(jobs))
        left = [job for job in jobs if not is_done(target, job)]
        done = 0

        def one(job: RivalJob) -> None:
            nonlocal done
            done += 1
            tell(stage, done, len(left))

        run_jobs(left, place, processes=processes, tell=one)
        return jobs

    tuned = run(
        "tuning",
        chain(protocol.tuning(cohort), *(protocol.tuning(other, other=True) for other in others)),
    )
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

    between = [
        way
        for other in others
        for way in (
            protocol.elsewhere(cohort, other, chosen, other=False),
            protocol.elsewhere(other, cohort, chosen, other=True),
        )
    ]
    kept = run(
        "fitting",
        chain(
            protocol.repeated(cohort, chosen),
            *between,
            protocol.leak(cohort, chosen),
            protocol.labels(cohort, chosen),
        ),
    )
    write_frames(target, kept, windows, protocol.drawn_with)
    atomic_write(target / METHODS, as_json(_methods(protocol, windows, chosen)))


def _check_few(windows: Path, protocol: RivalsProtocol) -> None:
    most = fewest_learned_from(WindowSet.open(windows), protocol.folds, protocol.fold_seed)
    if wrong := [str(count) for count in protocol.few if not 0 < count <= most]:
        raise RunError(
            windows,
            f"few is {', '.join(wrong)}, and {most} patients are learned from in some fold",
            f"give numbers from 1 to {most}",
        )


def _check_same(windows: Mapping[str, Path], target: Path, protocol: RivalsProtocol) -> None:
    """Keep what is studied, or see that it is what the fits that are there were made of.

    Cohorts and systems may be added, so that only cohorts that were known before are compared.
    """
    path = target / STUDY
    digests = {
        name: digest_of(WindowSet.open(where), times=True) for name, where in windows.items()
    }
    stated = as_read({key: getattr(protocol, key) for key in KEPT})
    if (target / "jobs").exists():
        there = _read_study(path)
        known = there["windows"]
        differ = [
            f"the windows of {name}"
            for name, digest in digests.items()
            if known.get(name, digest) != digest
        ]
        differ += [
            f"{key} {value} (before: {there.get(key)})"
            for key, value in stated.items()
            if there.get(key) != value
        ]
        if differ:
            raise RunError(
                target,
                f"{', '.join(differ)} are not those that were studied here",
                "give these, or study in another folder",
            )
        digests = {**known, **digests}
    target.mkdir(parents=True, exist_ok=True)
    atomic_write(path, as_json({"windows": digests, **stated}))


def _read_study(path: Path) -> dict[str, Any]:
    """What was studied, in a folder that has fits."""
    found: dict[str, Any] = read_json(path, _Studied, _unknown_study)
    return found


class _Studied(TypedDict):
    """What is used of the file; it says more."""

    windows: dict[str, str]


def _unknown_study(path: Path, what: str) -> RunError:
    return RunError(
        path,
        f"{what}; nothing else says what was fitted",
        "put it back, remove jobs to fit anew, or study in another folder",
    )


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

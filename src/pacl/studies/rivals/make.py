"""The comparison: tune on validation patients, repeat with all seeds, then further studies.

```
study/
    study.json      the identity of the study: data, protocol, digests of the windows
    cohort/         simulated patients, if no data was given
    windows/NAME/   windows of a cohort, if recordings were given
    jobs/           one result per fit
    *.parquet       the results of all fits, pooled, as differences, and of a split by windows
    methods.json    settings of each system, and which were chosen
```
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.locks import sole_worker
from pacl.rivals import current_name, system_named
from pacl.rr import RRWindowSet
from pacl.studies.errors import RunError
from pacl.studies.inputs import StudyData, all_in, as_windows
from pacl.studies.processes import run_fits
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.provenance import as_json, digest_of
from pacl.studies.rivals.division import fewest_learned_from
from pacl.studies.rivals.fit import Place, fit_job
from pacl.studies.rivals.frame import write_frames
from pacl.studies.rivals.job import JobResult, RivalJob, is_done, rename_former_systems
from pacl.studies.rivals.protocol import RivalsProtocol
from pacl.studies.study_folder import start_study
from pacl.studies.weights import CUT, RULE
from pacl.training import usable_device

METHODS = "methods.json"
KEPT = ("folds", "other_folds", "fold_seed", "few")
"""Of the protocol: what results depend on and do not say themselves."""


def compare_systems(
    target: Path,
    protocol: RivalsProtocol,
    data: StudyData,
    *,
    device: str = "auto",
    threads: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> None:
    """Prepare windows where recordings are given, then `run_rivals`; resumes the same study.

    Numbers of labelled patients that some fold does not have are left out, with a note.
    """
    data.check(target)
    name = data.name("simulated")
    others = data.named_others(name)
    with sole_worker(target):
        stated = {key: value for key, value in asdict(protocol).items() if key != "methods"}
        start_study(
            target,
            "rivals",
            {
                "data": data.stated,
                "other_data": str(data.others[0].resolve()) if data.others else "",
                **stated,
            },
            results="jobs",
            upgrade=_upgraded,
            new=True,
            scratch=("cohort", "windows"),
            inputs=data.paths,
        )
        sources = {name: data.source(target / "cohort", threads=threads, report=report), **others}
        windows = {
            name: _in_ms(
                as_windows(
                    path,
                    target / "windows" / name,
                    protocol=RULE,
                    divide=all_in("train"),
                    cut=CUT,
                    threads=threads,
                    report=report,
                )
            )
            for name, path in sources.items()
        }
        most = _most_few(windows[name], protocol)
        if beyond := [count for count in protocol.few if count > most]:
            report.on_note(
                f"few: {', '.join(map(str, beyond))} left out, a fold has {most} training patients"
            )
        few = tuple(count for count in protocol.few if count not in beyond)
        run_rivals(
            windows,
            target,
            replace(protocol, few=few),
            given_few=protocol.few,
            device=device if scheduler else usable_device(device).type,
            processes=threads,
            scheduler=scheduler,
            report=report,
        )


def run_rivals(
    windows: Mapping[str, Path],
    target: Path,
    protocol: RivalsProtocol,
    *,
    given_few: tuple[int, ...] | None = None,
    device: str = "cpu",
    processes: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> None:
    """Fit and evaluate all systems by the protocol; resumes the same study.

    Parameters
    ----------
    windows
        Window sets in ms by cohort: the first is studied; a second one is for tests across cohorts.
    target
        Folder of the study.
    protocol
        What is fitted.
    given_few
        Numbers of patients in the identity of the study; by default those of the protocol.
    device, processes, scheduler
        Where to compute, how many fits at the same time, or the Dask scheduler whose workers make
        them.
    report
        Gets the number of finished fits of each stage.
    """
    if not 1 <= len(windows) <= 2:
        raise RunError(target, f"{len(windows)} cohorts", "give one, or one and another")
    first = windows[next(iter(windows))]
    most = _most_few(first, protocol)
    if wrong := [str(count) for count in protocol.few if not 0 < count <= most]:
        raise RunError(
            first,
            f"few is {', '.join(wrong)}, but a fold has {most} training patients",
            f"give numbers from 1 to {most}",
        )
    with sole_worker(target):
        start_rivals(windows, target, replace(protocol, few=given_few or protocol.few))
        rename_former_systems(target)
        _run(windows, target, protocol, device, (processes, scheduler), report)


def start_rivals(windows: Mapping[str, Path], target: Path, protocol: RivalsProtocol) -> None:
    """Keep the identity of the study, or check it. Cohorts and systems may be added."""
    digests = {
        name: digest_of(RRWindowSet.open(where), times=True) for name, where in windows.items()
    }
    start_study(
        target,
        "rivals",
        {"windows": digests, **{key: getattr(protocol, key) for key in KEPT}},
        results="jobs",
        upgrade=_upgraded,
        grows=("windows",),
    )


def _run(
    windows: Mapping[str, Path],
    target: Path,
    protocol: RivalsProtocol,
    device: str,
    who: tuple[int, str | None],
    report: StudyReport,
) -> None:
    """All stages, in order, by so many processes or by the workers of a scheduler."""
    processes, scheduler = who
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
        left = {str(job.path): job for job in jobs if not is_done(target, job)}
        done: list[str] = []

        def on_finished(name: str) -> None:
            done.append(name)
            report.on_stage(stage, len(done), len(left))

        run_fits(
            partial(fit_job, place),
            left,
            processes=processes,
            scheduler=scheduler,
            where=target,
            on_finished=on_finished,
        )
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


def _most_few(windows: Path, protocol: RivalsProtocol) -> int:
    """The largest number of training patients that each fold has."""
    return fewest_learned_from(RRWindowSet.open(windows), protocol.folds, protocol.fold_seed)


def _in_ms(windows: Path) -> Path:
    if not RRWindowSet.open(windows).in_ms:
        raise RunError(windows, "its windows are scaled", "prepare them with --protocol all-beats")
    return windows


def _upgraded(then: dict[str, Any]) -> dict[str, Any]:
    """The identity in a folder with the names that systems have in this version."""
    for key in ("learning_from_few", "leaking"):
        if key in then:
            then[key] = [current_name(name) for name in then[key]]
    return then


def _score(target: Path, job: RivalJob) -> float:
    found = JobResult.read(target / job.path).validation
    if found is None:
        raise RunError(target / job.path, "it has no validation score", "remove it")
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

"""The paper's study: all losses with all seeds on one split, or on folds by patient (3).

```
study/
    study.json      the identity of the study: data, plans, seeds, folds, digests of the windows
    cohort/         simulated patients, if no data was given
    windows/        windows to learn from, if recordings were given
    elsewhere/      windows of other cohorts, likewise
    folds/          the window set once for each fold, if there are any
    runs/           one folder per run: LOSS-SEED, or LOSS-SEED-fold-N
```
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pacl.cohort import CohortProtocol
from pacl.locks import sole_worker
from pacl.rr import Cut, Divide
from pacl.settings import Plan
from pacl.studies.external_evaluation import PLACE, evaluate_external
from pacl.studies.folder import RunFolder
from pacl.studies.inputs import StudyData, all_in, as_windows, cut_like
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.paper_study import Study, check_study, run_name
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.provenance import open_windows
from pacl.studies.scheduler import train_runs
from pacl.studies.study_folder import start_study
from pacl.training import usable_device
from pacl.window_sets import divide_folds

SETTINGS = ("losses", "seeds", "folds", "fold_seed", "simulate", "prepare")
"""What version 0.1 kept of the command's settings, besides plans."""


@dataclass(frozen=True, eq=False, slots=True)
class Preparation:
    """How windows are cut from recordings.

    Parameters
    ----------
    divide, cut
        See `prepare`.
    protocol
        None for the usual one of the recordings.
    stated
        The same as plain values, for the identity of the study.
    restated
        Brings `stated` of an earlier version up to date.
    """

    divide: Divide
    cut: Cut
    protocol: CohortProtocol | None = None
    stated: Mapping[str, Any] | None = None
    restated: Callable[[Any], Any] = lambda stated: stated


def reproduce_paper(
    target: Path,
    study: Study,
    data: StudyData,
    preparation: Preparation,
    *,
    device: str = "auto",
    threads: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> tuple[Path, tuple[Outcomes, ...]]:
    """Prepare windows where recordings are given, then `run_study`; resumes the same study.

    Returns
    -------
    windows
        The window set that was learned from.
    outcomes
        See `run_study`.
    """
    data.check(target)
    if scheduler is None:
        usable_device(device)
    title = data.name("simulated patients")
    others = data.named_others(title)
    with sole_worker(target):
        stated = {
            "data": data.stated,
            "read": data.read_as(),
            "prepare": preparation.stated,
            "simulate": {"patients": data.patients, "seed": data.seed},
        }
        start_study(
            target,
            "reproduce",
            {**stated, **study.identity()},
            results="runs",
            upgrade=lambda then: _upgraded(then, preparation.restated),
            new=True,
            scratch=("cohort", "windows", "folds", "elsewhere"),
            inputs=data.paths,
        )
        windows = as_windows(
            data.source(target / "cohort", threads=threads, report=report),
            target / "windows",
            protocol=preparation.protocol,
            divide=preparation.divide,
            cut=preparation.cut,
            read=data.read if data.data else None,
            threads=threads,
            report=report,
        )
        elsewhere = {
            name: as_windows(
                path,
                target / "elsewhere" / name,
                protocol=preparation.protocol,
                divide=all_in("test"),
                cut=cut_like(windows),
                read=data.read,
                threads=threads,
                report=report,
            )
            for name, path in others.items()
        }
        return windows, run_study(
            windows,
            target,
            study,
            elsewhere=elsewhere,
            title=title,
            device=device,
            processes=threads,
            scheduler=scheduler,
            report=report,
        )


def run_study(
    windows: Path | str,
    target: Path | str,
    study: Study,
    *,
    elsewhere: Mapping[str, Path] | None = None,
    title: str = "test patients",
    device: str = "auto",
    processes: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> tuple[Outcomes, ...]:
    """Train all runs, and evaluate each on test patients and on other cohorts; resumes.

    Parameters
    ----------
    windows
        A window set, as `prepare` wrote it.
    target
        Folder of the study; new, or that of the same study.
    study
        What to train.
    elsewhere
        Other window sets by name; each run is evaluated on all their patients.
    title
        What to call the test patients.
    device, processes, scheduler, report
        See `train_runs`.
    """
    windows, target = Path(windows), Path(target)
    others = {name: Path(path) for name, path in (elsewhere or {}).items()}
    check_study(windows, study, others)
    with sole_worker(target):
        digests = {name: open_windows(path)[1].digest for name, path in others.items()}
        start_study(
            target,
            "reproduce",
            {
                **study.identity(),
                "windows": open_windows(windows)[1].digest,
                "elsewhere": digests,
            },
            results="runs",
            upgrade=_upgraded,
            free=("elsewhere",),  # other cohorts may be added or left out later
        )
        sets: dict[int | None, Path] = {None: windows}
        if study.folds:
            folds = divide_folds(windows, target / "folds", folds=study.folds, seed=study.fold_seed)
            sets = {fold: path for fold, path in folds.items()}  # noqa: C416 - None is a key elsewhere
        runs = train_runs(
            study.jobs(sets),
            target / "runs",
            device=device,
            processes=processes,
            scheduler=scheduler,
            report=report,
        )
        _evaluate_external(runs, others, digests, "auto" if scheduler else device, report)
        places = {"test": title} | {name: name for name in others}
        return tuple(
            Outcomes(
                called,
                on,
                tuple(
                    Outcome(
                        loss, seed, tuple(runs[run_name(loss, seed, fold)] for fold in sets), on
                    )
                    for loss in study.plans
                    for seed in study.seeds
                ),
            )
            for on, called in places.items()
        )


def _evaluate_external(
    runs: Mapping[str, RunFolder],
    others: Mapping[str, Path],
    digests: Mapping[str, str],
    device: str,
    report: StudyReport,
) -> None:
    """Evaluate each run on each other cohort, once."""
    total = len(runs) * len(others)
    for at, (run, name) in enumerate((run, name) for run in runs.values() for name in others):
        origin = run.origin_of(name) if name in run.evaluations() else None
        if origin is None or origin.digest != digests[name]:
            shutil.rmtree(run.path / PLACE / name, ignore_errors=True)  # of other windows
            evaluate_external(run, others[name], name=name, device=usable_device(device))
        report.on_stage("evaluating on other cohorts", at + 1, total)


def _upgraded(
    then: dict[str, Any], restated: Callable[[Any], Any] = lambda stated: stated
) -> dict[str, Any]:
    """The identity in a folder as this version writes it: new settings have their defaults."""
    settings = then.pop("settings", {})
    then = {key: settings[key] for key in SETTINGS if key in settings} | then
    if "prepare" in then:
        then["prepare"] = restated(then["prepare"])
    if "plans" in then:
        plans = {loss: Plan.from_dict(plan).to_dict() for loss, plan in then["plans"].items()}
        then |= {"plans": plans, "losses": list(plans)}
    return then

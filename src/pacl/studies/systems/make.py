"""The comparison of systems on windows of any signal: all fits, then the tables.

```
study/
    study.json            the identity of the study: windows, settings
    fits/SYSTEM/*.npz     one result per seed and fold of subjects
    predictions/*.parquet one row per window and seed, for each system
    subjects.parquet      scores of each subject, by system and seed
    summary.json          what the page is made from besides: classes, confusion, epochs, time
```
"""

import hashlib
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pacl.locks import sole_worker
from pacl.settings import SYSTEMS, ComparisonSettings, TrainSettings, check_settings, settled
from pacl.stored import as_read
from pacl.studies.errors import RunError
from pacl.studies.processes import run_fits
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.study_folder import start_study
from pacl.studies.systems.divide import check_folds, check_usable
from pacl.studies.systems.fit import FitPlace, fit_system
from pacl.studies.systems.result import FITS, SystemFit
from pacl.studies.systems.tables import write_tables
from pacl.systems import NetworkSystem
from pacl.training import usable_device
from pacl.window_sets import format_of
from pacl.windows import ARRAY_FORMAT, WindowSet

X_FILE = "x.npy"


def compare_on_signals(
    windows: Path | str,
    target: Path | str,
    settings: ComparisonSettings | None = None,
    *,
    device: str = "auto",
    processes: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> None:
    """Fit and test all systems on folds of subjects; resumes the same study.

    Parameters
    ----------
    windows
        A window set of arrays, as `pacl prepare --layout arrays` or `WindowSet.save` wrote it. Its
        own division into parts is not used.
    target
        Folder of the study.
    settings
        What is compared and how; systems and seeds may be added to a study later.
    device, processes, scheduler
        Where to compute, how many fits at the same time, also on one GPU, or the Dask scheduler
        whose workers make them.
    report
        Gets the epochs and the finished fits.
    """
    path, target, settings = Path(windows), Path(target), settings or ComparisonSettings()
    check_settings(settings)
    found = _opened(path, settings)
    on = usable_device(device)
    with sole_worker(target):
        start_study(
            target,
            "systems",
            _identity(found, settings),
            results=FITS,
            upgrade=_upgraded,
            new=True,
        )
        fits = all_fits(settings)
        left = {fit.name: fit for fit in fits if not (target / fit.path).exists()}
        report.on_runs(len(fits))
        for fit in fits:
            if fit.name not in left:
                report.on_finished(fit.name)
        if left:
            run_fits(
                partial(fit_system, FitPlace(target, path.resolve(), settings, on.type)),
                left,
                processes=processes,
                scheduler=scheduler,
                where=target,
                on_message=report.on_epoch,
                on_finished=report.on_finished,
            )
        write_tables(target, found, settings, fits)


def all_fits(settings: ComparisonSettings) -> list[SystemFit]:
    """Every fit of a study; a system without random numbers is fitted with the first seed alone."""
    return [
        SystemFit(name, seed, fold)
        for seed in settings.seeds
        for name in settings.systems
        if SYSTEMS.named(name).make().random or seed == settings.seeds[0]
        for fold in range(settings.folds)
    ]


def _opened(path: Path, settings: ComparisonSettings) -> WindowSet:
    if format_of(path).name != ARRAY_FORMAT.name:
        raise RunError(
            path,
            "its windows are not arrays of a signal",
            "prepare recordings with --layout arrays; for RR intervals there is pacl rivals",
        )
    windows = WindowSet.open(path)
    check_usable(windows, path)
    check_folds(
        windows,
        path,
        folds=settings.folds,
        seed=settings.fold_seed,
        validation=settings.validation if settings.train.keep == "best" else 0.0,
        batch=settings.sampler.subjects if _trains_networks(settings) else 0,
    )
    return windows


def _trains_networks(settings: ComparisonSettings) -> bool:
    return any(isinstance(SYSTEMS.named(name).make(), NetworkSystem) for name in settings.systems)


def _identity(windows: WindowSet, settings: ComparisonSettings) -> dict[str, Any]:
    """What must stay the same; systems and seeds may change."""
    stated = {
        key: value for key, value in settings.to_dict().items() if key not in ("systems", "seeds")
    }
    first = {"first_seed": settings.seeds[0]}
    found: dict[str, Any] = as_read({"windows": _digest(windows), **stated, **first})
    return found


def _upgraded(then: dict[str, Any]) -> dict[str, Any]:
    """The identity in a folder as this version writes it: new settings have their defaults."""
    return {**then, "train": asdict(settled(TrainSettings, then["train"], bounds=False))}


def _digest(windows: WindowSet) -> str:
    """Of the windows with their subjects and classes, not of how the table was written."""
    table, digest = windows.table, hashlib.sha256()
    named = (windows.class_names, table.subject.names, table.record.names)
    digest.update(repr((windows.manifest["files"][X_FILE], named)).encode())
    for column in (table.subject.codes, table.record.codes, table.labels, table.start):
        digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest()

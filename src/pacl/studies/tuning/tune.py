"""Tuning: settings tried in trials, evaluated on validation patients (App. B).

Test patients cannot influence the choice: a source of windows gives the training and the validation
part alone.
"""

import importlib.util
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pacl.settings import LOSSES, Plan
from pacl.studies.errors import TuningError
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.provenance import digest_of
from pacl.studies.run import build_trainer
from pacl.studies.tuning.outcome import Outcome
from pacl.studies.tuning.signs import Signs
from pacl.studies.tuning.space import SPACES, Dimension, flat_settings, kept_as, space_for
from pacl.studies.tuning.storage import closing, stop_waiting
from pacl.studies.tuning.study import Pruner, check_target, open_study, quiet_optuna
from pacl.studies.tuning.windows import WindowsAtHand, WindowSource
from pacl.studies.tuning.worker import Worker
from pacl.training import usable_device

AT_ONCE_ON_GPU = 16


def tune(
    source: WindowSource,
    target: Path | str,
    base: Plan | None = None,
    *,
    space: str = "fair",
    trials: int = 50,
    seeds: int = 1,
    at_once: int | None = None,
    pruner: Pruner = "median",
    storage: str | None = None,
    timeout_s: float | None = None,
    device: str = "auto",
    report: StudyReport = SILENT,
) -> Outcome:
    """Try settings until `trials` trials have ended, and keep the best of them in a folder.

    The same call resumes the search, and several processes may share a folder.

    Parameters
    ----------
    source
        Where windows come from.
    target
        Folder of the study: `journal.log`, `trials.csv`, `best.toml`, `prepare.toml`.
    base
        The loss, and all settings that are not tried; the first trial. Its seed is also that of
        the search.
    space
        One of `SPACES`.
    trials
        How many have to end in all, also if the search is resumed.
    seeds
        Runs of each trial, from the base's seed upwards; its value is their mean.
    at_once
        Trials trained at the same time. By default 16 on a GPU in the fair space, else 1.
    pruner
        How trials are stopped early that are worse than others after as many epochs.
    storage
        A URL instead of the journal, for workers on several machines: `postgresql://`,
        `mysql://`, `sqlite://`, or `grpc://` for Optuna's proxy. Each worker then waits until the
        trials of all have ended.
    timeout_s
        No trial is started after this time.
    device
        `cpu`, `cuda`, or `auto`: a GPU where there is one.
    report
        Gets each trial.
    """
    base, target = base or Plan(), Path(target)
    check_target(target)
    _check(space, trials=trials, seeds=seeds, at_once=at_once)
    if base.train.keep != "best":
        raise TuningError(
            "tuning", "train.keep is last, with which trials have no score", "set it to best"
        )
    from pacl.studies.tuning.sampler import PlacedSampler
    from pacl.studies.tuning.search import Search

    until = math.inf if timeout_s is None else time.monotonic() + timeout_s
    on = usable_device(device)
    if at_once is None:
        at_once = AT_ONCE_ON_GPU if on.type == "cuda" and space == "fair" else 1
    windows = WindowsAtHand(source, on)
    parts = source.parts(source.cut)
    build_trainer(base, windows.of(source.cut))  # refuses settings with which no trial could start
    dimensions = space_for(
        space, base, patients=len(parts[0].table.patient.names), cuts=source.cuts
    )
    about = {"space": space, "seeds": seeds, "windows": digest_of(*parts)}
    about |= {**flat_settings(base, source.cut), "loss": LOSSES.canonical(base.loss)}
    target.mkdir(parents=True, exist_ok=True)
    sampler = PlacedSampler(base.seed, _first(dimensions, base, source))
    with (
        quiet_optuna(),
        closing(open_study(target, about, url=storage, sampler=sampler, pruner=pruner)) as study,
    ):
        worker = Worker(target, None if storage is None else Signs(study))
        search = Search(study, dimensions, base, space, seeds, windows, worker, report)
        try:
            while wanted := search.wanted(trials, at_once, until):
                search.run(wanted, trials)
        except BaseException:
            stop_waiting(study)
            raise
        finally:
            worker.close(study, search.keys)
        return search.write(importances=True)


def _first(dimensions: Sequence[Dimension], base: Plan, source: WindowSource) -> dict[str, Any]:
    """What of the base settings lies in the space."""
    stated = flat_settings(base, source.cut)
    found = {kept_as(each.key): each.kept(stated[each.key]) for each in dimensions}
    return {key: kept for key, kept in found.items() if kept is not None}


def _check(space: str, **counts: int | None) -> None:
    """Refuse numbers and names that are not possible, and a missing Optuna."""
    if importlib.util.find_spec("optuna") is None:
        raise TuningError("tuning", "Optuna is not installed", "pip install 'pacl[train]'")
    if space not in SPACES:
        raise TuningError("tuning", f"no space {space!r}", f"use {' or '.join(SPACES)}")
    for name, count in counts.items():
        if count is not None and count < 1:
            raise TuningError("tuning", f"{name} is {count}", "it has to be at least 1")

"""The paper's study: every loss with every seed on one split, or on folds by patient (3).

```
study/
    study.json      what is studied: plans, seeds, folds, and digests of the windows
    folds/          the window set once for each fold, if there are any
    runs/           a folder a run: LOSS-SEED, or LOSS-SEED-fold-N
```
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.cohort import fold_split
from pacl.stored import as_read, read_json
from pacl.studies.errors import RunError
from pacl.studies.external_evaluation import (
    PLACE,
    check_length,
    check_not_learned,
    evaluate_external,
)
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.lock import sole_worker
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.plan import Plan
from pacl.studies.provenance import as_json, check_scaling, open_windows, seen_beats, usable_device
from pacl.studies.run import parts_to_learn
from pacl.studies.scheduler import train_runs
from pacl.studies.workers import Job
from pacl.training import EpochLog, PatientSampler, TrainingError
from pacl.windows import divide_folds
from pacl.windows.divide import strata

FORMAT = "pacl study 1"
LOSSES = ("patient-aware", "supcon", "bce")
SEEDS = (1, 42, 102, 2026, 9999)


@dataclass(frozen=True, slots=True)
class Study:
    """What is trained: a plan for each loss, with each seed.

    Parameters
    ----------
    plans
        By loss; the seed in them does not count.
    seeds
        Each loss is trained with each.
    folds
        Number of folds by patient; 0 for the split of the window set.
    fold_seed
        Decides who is in which fold.
    """

    plans: Mapping[str, Plan]
    seeds: tuple[int, ...] = SEEDS
    folds: int = 0
    fold_seed: int = 1

    @classmethod
    def of(cls, base: Plan | None = None, losses: tuple[str, ...] = LOSSES, **more: Any) -> "Study":
        """The same plan for every loss."""
        return cls({loss: replace(base or Plan(), loss=loss) for loss in losses}, **more)

    def __post_init__(self) -> None:
        if not self.plans or not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise RunError(
                "study",
                f"losses {', '.join(self.plans) or 'none'}, seeds {self.seeds}",
                "give at least one of each, and every seed once",
            )
        if self.folds in (1, 2) or self.folds < 0:
            raise RunError(
                "study", f"{self.folds} folds", "use 0 for a single split, or 3 and more"
            )
        if "bce" in self.plans and (memory := self.plans["bce"].objective.memory):
            raise RunError(
                "study",
                f"objective.memory {memory} for bce, which looks at no pairs",
                "name --losses without it, or set memory in the --tuned file of each other loss",
            )

    def jobs(self, windows: Mapping[int | None, Path]) -> dict[str, Job]:
        """Every run by name; `windows` has the set of each fold, or that of None."""
        return {
            run_name(loss, seed, fold): Job(path, replace(plan, loss=loss, seed=seed))
            for fold, path in windows.items()
            for loss, plan in self.plans.items()
            for seed in self.seeds
        }


def run_name(loss: str, seed: int, fold: int | None = None) -> str:
    """What the folder of a run is called."""
    return f"{loss}-{seed}" if fold is None else f"{loss}-{seed}-fold-{fold}"


def run_study(
    windows: Path | str,
    target: Path | str,
    study: Study,
    *,
    elsewhere: Mapping[str, Path] | None = None,
    title: str = "test patients",
    device: str = "auto",
    processes: int = 1,
    tell: Callable[[str, EpochLog], None] = lambda name, log: None,
    judged: Callable[[str], None] = lambda name: None,
    judged_elsewhere: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Outcomes, ...]:
    """Train every run, and judge each on test patients and on other cohorts; goes on if begun.

    Parameters
    ----------
    windows
        A window set, as `prepare` wrote it.
    target
        Folder of the study; new, or that of the same study.
    study
        What to train.
    elsewhere
        Other window sets by name, on all of whose patients every run is judged.
    title
        What to call the test patients.
    device, processes, tell, judged
        See `train_runs`.
    judged_elsewhere
        Called with the evaluations on other cohorts that are done, and their total.
    """
    windows, target = Path(windows), Path(target)
    others = {name: Path(path) for name, path in (elsewhere or {}).items()}
    check_study(windows, study, others)
    with sole_worker(target):
        _begin(windows, target, study, others)
        sets: dict[int | None, Path] = {None: windows}
        if study.folds:
            folds = divide_folds(windows, target / "folds", folds=study.folds, seed=study.fold_seed)
            sets = {fold: path for fold, path in folds.items()}  # noqa: C416 - None is a key elsewhere
        runs = train_runs(
            study.jobs(sets),
            target / "runs",
            device=device,
            processes=processes,
            tell=tell,
            judged=judged,
        )
        _judge_all(runs, others, device, judged_elsewhere)
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


def _judge_all(
    runs: Mapping[str, RunFolder],
    others: Mapping[str, Path],
    device: str,
    track: Callable[[int, int], None],
) -> None:
    """Judge every run on every other cohort, once."""
    digests = {name: open_windows(path)[1].digest for name, path in others.items()}
    total = len(runs) * len(others)
    for at, (run, name) in enumerate((run, name) for run in runs.values() for name in others):
        origin = run.origin_of(name) if name in run.evaluations() else None
        if origin is None or origin.digest != digests[name]:
            shutil.rmtree(run.path / PLACE / name, ignore_errors=True)  # of other windows
            evaluate_external(run, others[name], name=name, device=usable_device(device))
        track(at + 1, total)


def check_study(windows: Path, study: Study, others: Mapping[str, Path]) -> None:
    """Refuse what would be found out only after hours of training."""
    for name, path in others.items():
        check_name(name, path, what="a cohort", taken=("validation", "test"))
    if others and study.folds:
        raise RunError(
            windows,
            f"{study.folds} folds and another cohort ({', '.join(others)}): whoever is not in the "
            "folds would be judged by every fold's runs at once",
            "judge the other cohort by runs on a single split, without folds",
        )
    found, origin = open_windows(windows)
    for plan in study.plans.values():
        check_scaling(plan.encoder.view, found, windows)
    if study.folds:
        fold_split(strata(found.table), folds=study.folds, fold=0, seed=study.fold_seed)
        return
    if "test" not in found.table.split.present():
        raise RunError(
            windows,
            "it has no test part to judge on",
            "prepare it with test patients, or study it in --folds",
        )
    choose = any(plan.train.keep == "best" for plan in study.plans.values())
    train, validation = parts_to_learn(found, windows, choose=choose)
    for plan in study.plans.values():
        try:
            PatientSampler.of(
                train,
                generator=np.random.default_rng(0),
                patients_per_batch=plan.sampler.patients,
                windows_per_class=plan.sampler.windows,
                one_class=plan.sampler.one_class,
                most_turns=plan.sampler.turns,
            )
        except TrainingError as error:
            raise RunError(
                windows, str(error), "that is --sampler.patients and --sampler.windows"
            ) from error
    learned = [part for part in (train, validation) if part is not None]
    seen = seen_beats(*learned) if others else np.empty(0, np.uint64)
    for path in others.values():
        other, other_origin = open_windows(path)
        check_length(origin, other_origin, path)
        check_not_learned(seen, origin, other, other_origin, path)


def _begin(windows: Path, target: Path, study: Study, others: Mapping[str, Path]) -> None:
    """Write down what is studied, or see that the study there is the same."""
    stated = {
        "format": FORMAT,
        "windows": open_windows(windows)[1].digest,
        "elsewhere": {name: open_windows(path)[1].digest for name, path in others.items()},
        "seeds": list(study.seeds),
        "folds": study.folds,
        "fold_seed": study.fold_seed,
        "plans": {loss: plan.to_dict() for loss, plan in study.plans.items()},
    }
    path = target / "study.json"
    if not path.exists():
        target.mkdir(parents=True, exist_ok=True)
        atomic_write(path, as_json(stated))
        return
    there = read_json(path, _Stated, _other_folder)
    # A study may be judged on more cohorts later, and on fewer; its runs stay the same.
    now = as_read(stated)
    there = there | {"plans": _as_of_now(there.get("plans"))}
    differ = [key for key in now if key != "elsewhere" and there.get(key) != now[key]]
    if differ and any((target / "runs").glob("*")):
        raise RunError(
            target,
            f"another study was begun here, with other {', '.join(differ)}",
            "give the settings it was begun with, or another folder",
        )
    atomic_write(path, as_json(stated))


def _as_of_now(plans: Any) -> Any:
    """Plans as they would be written today: settings that are newer have their defaults."""
    try:
        read = {loss: Plan.from_dict(plan).to_dict() for loss, plan in plans.items()}
    except (RunError, AttributeError):
        return plans  # written by a later version, or by nobody
    return as_read(read)


class _Stated(TypedDict):
    """What is used of a study.json; it says more."""

    plans: NotRequired[dict[str, dict[str, Any]]]


def _other_folder(path: Path, what: str) -> RunError:
    return RunError(path, what, "name another folder")

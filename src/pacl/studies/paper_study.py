"""What is trained in the paper's study: all losses with all seeds, and checks before training."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pacl.settings import Plan
from pacl.studies.errors import RunError
from pacl.studies.external_evaluation import check_length, check_not_learned
from pacl.studies.folder import check_name
from pacl.studies.gpus import Job
from pacl.studies.provenance import check_scaling, open_windows, seen_beats
from pacl.studies.run import parts_to_learn
from pacl.training import SubjectSampler, TrainingError
from pacl.windows import fold_split, strata

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
        return cls({loss: (base or Plan()).with_loss(loss) for loss in losses}, **more)

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
        wrong = [reason for plan in self.plans.values() for reason in plan.problems()]
        if wrong:
            raise RunError(
                "study",
                wrong[0],
                "name --losses without it, or set memory in the --tuned file of each other loss",
            )

    def jobs(self, windows: Mapping[int | None, Path]) -> dict[str, Job]:
        """All runs by name; `windows` has the set of each fold, or that of None."""
        return {
            run_name(loss, seed, fold): Job(path, replace(plan, seed=seed))
            for fold, path in windows.items()
            for loss, plan in self.plans.items()
            for seed in self.seeds
        }

    def identity(self) -> dict[str, Any]:
        """What is trained, as plain values."""
        return {
            "losses": list(self.plans),
            "seeds": list(self.seeds),
            "folds": self.folds,
            "fold_seed": self.fold_seed,
            "plans": {loss: plan.to_dict() for loss, plan in self.plans.items()},
        }


def run_name(loss: str, seed: int, fold: int | None = None) -> str:
    """What the folder of a run is called."""
    return f"{loss}-{seed}" if fold is None else f"{loss}-{seed}-fold-{fold}"


def check_study(windows: Path, study: Study, others: Mapping[str, Path]) -> None:
    """Refuse a study that would fail only after hours of training."""
    for name, path in others.items():
        check_name(name, path, what="a cohort", taken=("validation", "test"))
    if others and study.folds:
        raise RunError(
            windows,
            f"{study.folds} folds and another cohort ({', '.join(others)}): its patients are in no "
            "fold, so that the runs of all folds would evaluate them",
            "evaluate the other cohort without --folds",
        )
    found, origin = open_windows(windows)
    for plan in study.plans.values():
        check_scaling(plan.view, found, windows)
    if study.folds:
        fold_split(
            strata(found.table, found.class_names), folds=study.folds, fold=0, seed=study.fold_seed
        )
        return
    if "test" not in found.table.split.present():
        raise RunError(
            windows,
            "it has no test part",
            "prepare it with test patients, or use --folds",
        )
    choose = any(plan.train.keep == "best" for plan in study.plans.values())
    train, validation = parts_to_learn(found, windows, choose=choose)
    for plan in study.plans.values():
        try:
            SubjectSampler.of(
                train,
                generator=np.random.default_rng(0),
                subjects_per_batch=plan.sampler.subjects,
                windows_per_class=plan.sampler.windows,
                one_class=plan.sampler.one_class,
                most_turns=plan.sampler.turns,
            )
        except TrainingError as error:
            raise RunError(
                windows, str(error), "that is --sampler.subjects and --sampler.windows"
            ) from error
    learned = [part for part in (train, validation) if part is not None]
    seen = seen_beats(*learned) if others else np.empty(0, np.uint64)
    for path in others.values():
        other, other_origin = open_windows(path)
        check_length(origin, other_origin, path)
        check_not_learned(seen, origin, other, other_origin, path)

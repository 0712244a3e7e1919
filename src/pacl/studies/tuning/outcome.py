"""The result of a search as plain data, and its files."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from pacl.atomic_write import atomic_write
from pacl.printable import plain_cell
from pacl.rr import Cut
from pacl.settings import Plan
from pacl.stored import MisfitError, as_toml, fitted
from pacl.studies.errors import TuningError
from pacl.studies.tuning.attempt import Ended
from pacl.studies.tuning.retries import counted, first_of
from pacl.studies.tuning.space import KEPT_AS, Dimension, apply_settings, settings_of
from pacl.studies.tuning.windows import WindowSource

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial

FEWEST = 4
"""Least number of finished trials for importances."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial that has ended, counted from 1 without those that were interrupted.

    `value` is None where it failed, and `reason` says why.
    """

    number: int
    ended: Ended
    value: float | None
    epochs: int
    seconds: float
    reason: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """All trials of a search, and the importance of each setting in the finished ones."""

    loss: str
    space: str
    tried: tuple[Tried, ...]
    importances: Mapping[str, float]
    """Shares of 1, the largest first; empty where trials are too few or too much alike."""

    @property
    def best(self) -> Tried | None:
        """The trial with the highest value; the first of equals."""
        finished = [trial for trial in self.tried if trial.ended == "finished"]
        return max(finished, key=lambda trial: trial.value or 0.0, default=None)

    def count(self) -> dict[Ended, int]:
        """How many trials ended in which way."""
        ends: tuple[Ended, ...] = ("finished", "pruned", "failed")
        return {end: sum(trial.ended == end for trial in self.tried) for end in ends}


def best_so_far(tried: Sequence[Tried]) -> list[float]:
    """The highest value of each trial and those before it; nan as long as none has finished."""
    found, best = [], math.nan
    for trial in tried:
        if trial.ended == "finished" and trial.value is not None:
            best = trial.value if math.isnan(best) else max(best, trial.value)
        found.append(best)
    return found


class _Kept(TypedDict):
    """What a trial that has ended keeps besides its settings."""

    ended: Ended
    epochs: int
    seconds: float
    reason: str


def _tried(trial: "FrozenTrial", number: int, dimensions: Sequence[Dimension]) -> Tried:
    try:
        attributes: _Kept = fitted(_Kept, trial.user_attrs)
    except MisfitError as error:
        raise TuningError(
            f"trial {trial.number}", f"not one of pacl ({error})", "give another folder"
        ) from error
    failed = attributes["ended"] == "failed"
    return Tried(
        number=number,
        ended=attributes["ended"],
        value=None if failed else trial.value,
        epochs=attributes["epochs"],
        seconds=attributes["seconds"],
        reason=attributes["reason"],
        settings=settings_of(dimensions, trial.params),
    )


def read_outcome(study: "Study", dimensions: Sequence[Dimension], loss: str, space: str) -> Outcome:
    """All that a study holds by now; trials that were interrupted and tried again are left out."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False)
    numbers = {first: number for number, first in enumerate(counted(trials), start=1)}
    tried = [
        _tried(trial, numbers[first_of(trial)], dimensions)
        for trial in trials
        if trial.state in (TrialState.COMPLETE, TrialState.PRUNED)
    ]
    return Outcome(loss, space, tuple(sorted(tried, key=lambda trial: trial.number)), {})


def measure_importances(study: "Study") -> dict[str, float]:
    """Shares of fANOVA (Hutter et al. 2014) over the trials that finished, the largest first."""
    import optuna

    complete = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
    finished = [trial for trial in complete if trial.user_attrs["ended"] == "finished"]
    if len(finished) < FEWEST or len({trial.value for trial in finished}) < 2:
        return {}
    alone = optuna.create_study(direction="maximize", storage=optuna.storages.InMemoryStorage())
    alone.add_trials(finished)
    found = optuna.importance.get_param_importances(
        alone, evaluator=optuna.importance.FanovaImportanceEvaluator(seed=0)
    )
    keys = {kept: key for key, kept in KEPT_AS.items()}
    return {keys.get(name, name): float(share) for name, share in found.items()}


def write_outcome(outcome: Outcome, target: Path, base: Plan, source: WindowSource) -> None:
    """Write `trials.csv`, and once a trial has finished `best.toml` and `prepare.toml`."""
    atomic_write(target / "trials.csv", _table(outcome.tried).encode())
    best = outcome.best
    if best is None:
        return
    plan, cut = apply_settings(base, source.cut, best.settings)
    says = [
        f"{outcome.loss}, best of {len(outcome.tried)} trials in the {outcome.space} space: "
        f"trial {best.number}, validation AUROC {best.value:.6f}"
    ]
    atomic_write(target / "best.toml", as_toml(plan.to_dict(), says=says))
    stated = source.settings(cut)
    if stated is not None:
        atomic_write(target / "prepare.toml", as_toml(stated, says=[*says, *_how(source, cut)]))


def _table(tried: Sequence[Tried]) -> str:
    """One row per trial."""
    text = io.StringIO()
    keys = list(dict.fromkeys(key for trial in tried for key in trial.settings))
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["trial", "ended", "validation_auroc", "epochs", "seconds", "reason", *keys])
    for trial in tried:
        value = "" if trial.value is None else repr(trial.value)
        cells = [
            trial.number,
            trial.ended,
            value,
            trial.epochs,
            trial.seconds,
            plain_cell(trial.reason),
        ]
        settings = (trial.settings.get(key, "") for key in keys)
        rows.writerow(
            [*cells, *(" ".join(map(str, x)) if isinstance(x, tuple) else x for x in settings)]
        )
    return text.getvalue()


def _how(source: WindowSource, cut: Cut) -> list[str]:
    """How the recordings were read, as a comment."""
    read_as: Mapping[str, Any] = getattr(source, "read_as", {})
    flags = [f"--{key.replace('_', '-')} {value}" for key, value in read_as.items()]
    return [f"recordings were read with {' '.join(flags)}"] if flags else []

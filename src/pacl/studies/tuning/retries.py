"""Interrupted trials: each is tried again once, in its place.

A trial that was interrupted is first marked `again`, then ended as failed, then put into the queue
with `again_of`, its number. Whoever finds a marked one that is not in the queue puts it there, so
that none is lost if a worker dies between two of these steps. If two workers do it at once, the
second copy is dropped when it is begun.
"""

import itertools
from collections.abc import Iterable, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pacl.studies.tuning.attempt import LOWEST

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

MOST_DEATHS = 3
"""Settings with which so many workers died have failed: they may be what kills them."""


def give_up(study: "Study", trial: "FrozenTrial", keys: Set[str], *, died: bool) -> None:
    """End an interrupted trial, and have the same settings tried again.

    If not all settings were chosen yet, they are chosen again.

    Parameters
    ----------
    study
        Of the trial.
    trial
        One that runs, as far as the storage knows.
    keys
        Names of all settings.
    died
        Whether its worker died, rather than being stopped.
    """
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    deaths = trial.user_attrs.get("deaths", 0) + died
    with suppress(UpdateFinishedTrialError, ValueError):  # it has ended, or others were faster
        if deaths >= MOST_DEATHS:
            _mark(study, trial, ended="failed", reason=f"{deaths} workers died with it")
            _mark(study, trial, epochs=trial.last_step or 0, scores=[], seconds=0.0)
            study.tell(trial.number, LOWEST)
            return
        if chosen(trial).keys() == keys:
            _mark(study, trial, again=deaths)
        study.tell(trial.number, state=TrialState.FAIL)
    queue_again(study)


def queue_again(study: "Study") -> None:
    """Put interrupted trials into the queue that are not in it yet."""
    for trial in _pending(study.get_trials(deepcopy=False)):
        attributes = {
            "again_of": trial.number,
            "first": first_of(trial),
            "deaths": trial.user_attrs["again"],
            "slot": trial.user_attrs.get("slot"),
        }
        study.enqueue_trial(chosen(trial), user_attrs=attributes)


def is_copy(study: "Study", trial: "Trial") -> bool:
    """Whether an earlier trial tries the same interrupted one again."""
    again_of = trial.user_attrs.get("again_of")
    earlier = study.get_trials(deepcopy=False)[: trial.number]
    return again_of is not None and again_of in {t.user_attrs.get("again_of") for t in earlier}


def chosen(trial: "FrozenTrial") -> dict[str, Any]:
    """The settings of a trial, also of one that was taken from the queue and not begun."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def first_of(trial: "FrozenTrial | Trial") -> int:
    """The number of the trial that tried these settings first."""
    return int(trial.user_attrs.get("first", trial.number))


def counted(trials: "Iterable[FrozenTrial]") -> "list[int]":
    """First numbers of all trials that count, in order; a trial's place is that among them."""
    from optuna.trial import TrialState

    trials = list(trials)
    standing = [trial for trial in trials if trial.state != TrialState.FAIL]
    return sorted({first_of(trial) for trial in (*standing, *_pending(trials))})


def place_of(study: "Study", number: int) -> int:
    """How many trials before this one count; one that is tried again has the place it had."""
    trials = study.get_trials(deepcopy=False)
    first = first_of(trials[number])
    return sum(other < first for other in counted(trials))


def take_slot(study: "Study", trial: "FrozenTrial") -> int:
    """The number that a trial's settings are drawn with: the lowest that no trial has that counts.

    It is kept with the trial. The place of a trial is no such number, because it changes when one
    before it is dropped: two trials would have the same settings.
    """
    slot = _slots(study.get_trials(deepcopy=False))[first_of(trial)]
    _mark(study, trial, slot=slot)
    return slot


def clashes(study: "Study", trial: "Trial") -> bool:
    """Whether a trial has the slot of another, because one was dropped while both were drawn."""
    trials, mine = study.get_trials(deepcopy=False), first_of(trial)
    lines = set(counted(trials)) - {mine}
    slot = trials[trial.number].user_attrs.get("slot")
    held = {t.user_attrs.get("slot") for t in trials if first_of(t) in lines}
    return mine == trial.number and slot is not None and slot in held


def _slots(trials: "list[FrozenTrial]") -> dict[int, int]:
    """The slot of each trial that counts, by its first number; earlier versions kept none."""
    found = {}
    for trial in trials:
        if trial.user_attrs.get("slot") is not None:
            found[first_of(trial)] = int(trial.user_attrs["slot"])
    lines = counted(trials)
    kept = {first: found[first] for first in lines if first in found}
    free = (slot for slot in itertools.count() if slot not in kept.values())
    return {first: kept[first] if first in kept else next(free) for first in lines}


def _pending(trials: "Iterable[FrozenTrial]") -> "list[FrozenTrial]":
    """Interrupted trials that are not in the queue yet."""
    from optuna.trial import TrialState

    trials = list(trials)
    queued = {trial.user_attrs.get("again_of") for trial in trials}
    return [
        trial
        for trial in trials
        if trial.state == TrialState.FAIL
        and "again" in trial.user_attrs
        and trial.number not in queued
    ]


def _mark(study: "Study", trial: "FrozenTrial", **attributes: Any) -> None:
    """Write attributes of a trial that another process began."""
    for key, value in attributes.items():
        study._storage.set_trial_user_attr(trial._trial_id, key, value)

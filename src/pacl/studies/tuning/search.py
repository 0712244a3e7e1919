"""The search itself: ask for settings, train them, hand in their scores."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pacl.errors import PaclError
from pacl.locks import held
from pacl.settings import Plan
from pacl.studies.progress import StudyReport
from pacl.studies.run import build_trainer
from pacl.studies.tuning.attempt import Attempt
from pacl.studies.tuning.concurrent_trials import train_concurrently
from pacl.studies.tuning.outcome import (
    Outcome,
    measure_importances,
    read_outcome,
    write_outcome,
)
from pacl.studies.tuning.retries import clashes, is_copy, place_of
from pacl.studies.tuning.space import Dimension, apply_settings, kept_as, settings_of
from pacl.studies.tuning.windows import WindowsAtHand
from pacl.studies.tuning.worker import Worker

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import Trial

LOOK_AGAIN_S = 0.5
LOOK_LATER_S = 2.0
"""Between looks at the trials of workers elsewhere, once there is nothing left to begin."""


@dataclass(frozen=True, eq=False, slots=True)
class Search:
    """A study, and what this process needs to try settings for it."""

    study: "Study"
    dimensions: Sequence[Dimension]
    base: Plan
    space: str
    seeds: int
    windows: WindowsAtHand
    worker: Worker
    report: StudyReport

    @property
    def keys(self) -> set[str]:
        """Names of all that is tried, as Optuna keeps them."""
        return {kept_as(dimension.key) for dimension in self.dimensions}

    def wanted(self, trials: int, at_once: int, until: float = math.inf) -> int:
        """How many trials to start now, so that no more than `trials` end in all.

        Where workers have no folder in common, wait for the trials of the others: one of them may
        die, and the results of all are to be in each folder.

        Parameters
        ----------
        trials
            How many have to end.
        at_once
            How many to start at most.
        until
            Start none and wait no more then, on the clock of `time.monotonic`.
        """
        from optuna.trial import TrialState

        ended, waiting = (TrialState.COMPLETE, TrialState.PRUNED), False
        while time.monotonic() < until:
            unclaimed = self.worker.give_up_dead(self.study, self.keys)
            states = [trial.state for trial in self.study.get_trials(deepcopy=False)]
            running = states.count(TrialState.RUNNING)
            left = trials - running - sum(state in ended for state in states)
            if left > 0:
                return min(left, at_once)
            elsewhere = running and self.worker.signs is not None
            if not elsewhere and not unclaimed:
                return 0
            if elsewhere and not waiting:
                self.report.on_note(f"waiting for {running} trials of other workers")
            waiting = True
            time.sleep(LOOK_LATER_S if elsewhere else LOOK_AGAIN_S)
        return 0

    def run(self, count: int, trials: int) -> None:
        """Have settings chosen for trials, and train them together."""
        attempts = [self._begin(trial) for trial in self._ask(count, trials)]
        train_concurrently(
            [attempt for attempt in attempts if attempt.ended is None],
            after_epoch=lambda attempt: self.worker.sign(attempt.trial),
        )
        for attempt in attempts:
            if not attempt.close(self.study):
                self.report.on_note(_dropped(attempt))
                continue
            outcome = self.write(importances=False)
            number = place_of(self.study, attempt.trial.number) + 1
            tried = next(trial for trial in outcome.tried if trial.number == number)
            self.report.on_trial(tried, outcome)

    def write(self, *, importances: bool) -> Outcome:
        """Write the results so far, of this process and of others."""
        with held(self.worker.folder / ".outcome.lock"):
            outcome = read_outcome(self.study, self.dimensions, self.base.loss, self.space)
            if importances:
                outcome = replace(outcome, importances=measure_importances(self.study))
            write_outcome(outcome, self.worker.folder, self.base, self.windows.source)
        return outcome

    def _ask(self, count: int, trials: int) -> "Iterator[Trial]":
        from optuna.exceptions import UpdateFinishedTrialError
        from optuna.trial import TrialState

        distributions = {kept_as(each.key): each.distribution() for each in self.dimensions}
        for _ in range(count):
            try:
                trial = self.study.ask(distributions)
                self.worker.claim(trial)
            except UpdateFinishedTrialError:  # it took so long that others gave the trial up
                continue
            late = place_of(self.study, trial.number) >= trials  # others asked at the same time
            if late or is_copy(self.study, trial) or clashes(self.study, trial):
                self.study.tell(trial, state=TrialState.FAIL, skip_if_finished=True)
            else:
                yield trial

    def _begin(self, trial: "Trial") -> Attempt:
        """Make the runs of a trial; a trial that cannot start has failed."""
        settings = settings_of(self.dimensions, trial.params)
        plan, cut = apply_settings(self.base, self.windows.source.cut, settings)
        try:
            learning = self.windows.of(cut)
            plans = [replace(plan, seed=plan.seed + at) for at in range(self.seeds)]
            trainers = [build_trainer(plan, learning) for plan in plans]
        except PaclError as error:
            attempt = Attempt(trial, (), plan.loss)
            attempt.fail(error)
            return attempt
        return Attempt(trial, trainers, plan.loss, learning.score_of(plan))


def _dropped(attempt: Attempt) -> str:
    return (
        f"a trial of this worker was given to another, because the storage had no sign of it for "
        f"too long; what came of it here, after {attempt.epochs} epochs, does not count"
    )

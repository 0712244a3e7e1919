"""Trials trained together: as one program if their shapes agree, else one by one."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torch import Tensor

from pacl.errors import PaclError
from pacl.evaluation import EvaluationError, ProbeScore, StackedProbeScore
from pacl.models import why_alone
from pacl.objectives import stackable
from pacl.studies.tuning.attempt import Attempt
from pacl.training import EpochLog, Fleet, Trainer, check_fleet


class Alone:
    """One run as a fleet of one, with the same bits as by `train_run`."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.failed: dict[int, PaclError] = {}

    def __iter__(self) -> Iterator[dict[int, EpochLog]]:
        """Train, one epoch at a time, until it is done or fails."""
        while not self.trainer.done and not self.failed:
            logs = {}
            try:
                logs[0] = self.trainer.run_epoch()
            except PaclError as error:
                self.failed[0] = error
            yield logs


class LenientScore:
    """A stacked score in which a run without a score does not stop the others."""

    def __init__(self, scores: Sequence[ProbeScore]) -> None:
        self.stacked = StackedProbeScore(scores)

    def __call__(
        self, config: Mapping[str, Any], weights: Mapping[str, Tensor], runs: Sequence[int]
    ) -> list[float]:
        """Score all at once; if that fails, one by one, with NaN for those that fail."""
        try:
            return self.stacked(config, weights, runs)
        except EvaluationError:
            if len(runs) == 1:
                return [math.nan]
            found = []
            for at, run in enumerate(runs):
                row = {name: value[at, None] for name, value in weights.items()}
                found += self(config, row, [run])
            return found


def train_concurrently(attempts: Sequence[Attempt], after_epoch: Callable[[Attempt], None]) -> None:
    """Train all, and prune trials that are worse than others."""
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(_shape(attempt), []).append(attempt)
    for group in groups.values():
        _train_group(group, after_epoch)


def _train_group(attempts: Sequence[Attempt], after_epoch: Callable[[Attempt], None]) -> None:
    runs = [(attempt, at) for attempt in attempts for at in range(len(attempt.trainers))]
    if len(runs) == 1 or _alone(runs[0][0].trainers[0]):
        for attempt, at in runs:
            _follow(Alone(attempt.trainers[at]), [(attempt, at)], after_epoch)
        return
    for attempt in attempts:
        try:
            check_fleet(attempt.trainers, [f"run {at}" for at in range(len(attempt.trainers))])
        except PaclError as error:  # as it would alone; the others train
            attempt.fail(error)
    runs = [(attempt, at) for attempt, at in runs if attempt.ended is None]
    if runs:
        scores = LenientScore([attempt.score for attempt, _ in runs if attempt.score])
        fleet = Fleet([attempt.trainers[at] for attempt, at in runs], scores)
        _follow(fleet, runs, after_epoch)


def _follow(
    fleet: Alone | Fleet,
    runs: Sequence[tuple[Attempt, int]],
    after_epoch: Callable[[Attempt], None],
) -> None:
    """Train to the end, and note each epoch."""
    for logs in fleet:
        for at, error in fleet.failed.items():
            runs[at][0].fail(error)
        for at, log in logs.items():
            attempt, run = runs[at]
            attempt.note(run, log)
        for attempt in dict.fromkeys(runs[at][0] for at in logs):
            attempt.report()
            after_epoch(attempt)


def _alone(trainer: Trainer) -> bool:
    """Whether it depends on its own batches, so that no fleet can train it."""
    return why_alone(trainer.encoder) is not None or not stackable(trainer.objective)


def _shape(attempt: Attempt) -> str:
    """Equal for trials that can share a program."""
    trainer = attempt.trainers[0]
    batch, length = trainer.sampler.batch_size, trainer.windows.tensors.length
    return json.dumps([trainer.encoder.config, batch, length, _alone(trainer)])

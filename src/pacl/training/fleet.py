"""A fleet: many independent runs trained as one program.

Each run has its own batches, dropout, learning rate, temperature, number of steps and early
stopping. Its result equals that of the run trained alone, up to rounding.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pacl.models import stack_weights
from pacl.objectives import StackedObjective, stack_objectives
from pacl.training.epoch_log import EpochLog
from pacl.training.errors import TrainingError
from pacl.training.packed import PackedRuns
from pacl.training.trainer import Trainer
from pacl.training.windows import join_windows

StackedScore = Callable[[Mapping[str, Any], Mapping[str, Tensor], Sequence[int]], list[float]]
"""Scores of encoders, given their config, stacked weights, and the run of each row."""

LEFT = 0.7
"""The fleet is repacked when at most this share of its rows is still training."""


class Fleet:
    """Trainers with encoders of one shape, trained together.

    Parameters
    ----------
    trainers
        New or resumed. Their encoders, batch sizes, dtype and device are equal.
    score
        Scores all encoders at once; None if the runs keep their last weights.
    capture
        Whether to replay a captured step (CUDA graph); by default on a GPU.
    names
        For messages; by default the numbers of the runs.

    Examples
    --------
    >>> for logs in Fleet(trainers, score=None):
    ...     for run, log in logs.items():
    ...         print(run, log.epoch)
    0 1
    1 1
    """

    def __init__(
        self,
        trainers: Sequence[Trainer],
        score: StackedScore | None,
        *,
        capture: bool | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.names = [f"run {at}" for at in range(len(trainers))] if names is None else names
        check_fleet(trainers, self.names)
        self.trainers, self.score = list(trainers), score
        self.failed: dict[int, TrainingError] = {}
        self.device = trainers[0].windows.device
        self.capture = self.device.type == "cuda" if capture is None else capture
        self.windows, self.offsets = join_windows([trainer.windows for trainer in trainers])
        self._pack(self.running)

    def __iter__(self) -> Iterator[dict[int, EpochLog]]:
        """Train one epoch of all runs at a time; at the end all trainers are up to date.

        A run that diverges stops and is listed in `failed`; the others continue.
        """
        while self.running:
            if len(self.running) <= LEFT * len(self.rows):
                self.sync()
                self._pack(self.running)
            yield self.run_epoch()
        self.sync()

    @property
    def running(self) -> list[int]:
        """Which runs are neither done nor failed."""
        ended = {at for at, trainer in enumerate(self.trainers) if trainer.done} | set(self.failed)
        return [at for at in range(len(self.trainers)) if at not in ended]

    def run_epoch(self) -> dict[int, EpochLog]:
        """One epoch of each run that is not done; the results by number of the run."""
        began = time.perf_counter()
        packed = self.packed
        running = [row for row, at in enumerate(self.rows) if at in self.running]
        steps = packed.set_epoch(running)
        for _ in range(int(steps.max())):
            packed.advance()
        packed.plan_ahead(running)
        losses = (packed.losses / torch.from_numpy(np.maximum(steps, 1)).to(packed.losses)).tolist()
        for row in running:
            with self._failing(self.rows[row]):
                self.trainers[self.rows[row]].check_finite(losses[row])
        running = [row for row in running if self.rows[row] not in self.failed]
        if not running:
            return {}
        stepped = time.perf_counter()
        scores = self._scores(running)
        spreads, taus = packed.spreads(steps), packed.taus()
        shared = (time.perf_counter() - stepped) / len(running)
        seconds = ((stepped - began) / len(running), shared)
        logs = {}
        for row, score in zip(running, scores, strict=True):
            trainer, count = self.trainers[self.rows[row]], int(steps[row])
            report = trainer.objective.report()
            with self._failing(self.rows[row]):
                logs[self.rows[row]] = trainer.end_epoch(
                    losses[row],
                    score,
                    spreads=spreads[row],
                    lr=trainer.rate(count - 1, count),
                    windows=count * packed.batch,
                    seconds=seconds,
                    extra=report | {"tau": taus[row]} if "tau" in report else report,
                )
        best = {at for at, log in logs.items() if log.best}
        packed.keep_best([row for row in running if self.rows[row] in best])
        return logs

    def _scores(self, running: Sequence[int]) -> Sequence[float | None]:
        """Scores of the encoders of some rows; None without a score."""
        if self.score is None:
            return [None] * len(running)
        weights = self.packed.part("encoder")
        return self.score(
            self.packed.config,
            {name: value.detach()[list(running)] for name, value in weights.items()},
            [self.rows[row] for row in running],
        )

    def sync(self) -> None:
        """Bring all trainers up to date, so that they can be saved or trained alone."""
        for row, at in enumerate(self.rows):
            if at not in self.failed:
                self.packed.write_back(row)

    def _pack(self, rows: Sequence[int]) -> None:
        """Give each of these runs a row."""
        self.rows = list(rows)
        if rows:
            self.packed = PackedRuns(
                [self.trainers[at] for at in rows],
                self.windows,
                [self.offsets[at] for at in rows],
                capture=self.capture,
            )

    @contextmanager
    def _failing(self, at: int) -> Iterator[None]:
        """Record the error of a run that cannot continue; the others continue."""
        try:
            yield
        except TrainingError as error:
            self.failed[at] = TrainingError(f"{self.names[at]}, {error}")


def check_fleet(trainers: Sequence[Trainer], names: Sequence[str]) -> None:
    """Refuse runs that cannot share a program, or whose batches their objective would refuse."""
    _check_alike(trainers, names)
    stack_weights([trainer.encoder for trainer in trainers])
    stack_objectives([trainer.objective for trainer in trainers])
    StackedObjective.of([trainer.objective for trainer in trainers])
    for trainer in trainers:
        if not trainer.done:
            _check_batch(trainer)


def _check_batch(trainer: Trainer) -> None:
    """Let the objective check the first batch: all batches of a sampler have the same shape."""
    trainer.sampler.set_epoch(trainer.epoch)
    rows = torch.from_numpy(trainer.sampler.epoch_rows()[0]).to(trainer.windows.device)
    config, objective = trainer.encoder.config, trainer.objective
    length = config[f"{objective.reads.removesuffix('_raw')}_features"]
    like = next(objective.parameters())
    embedded = torch.full((len(rows), length), length**-0.5).to(like)
    with torch.no_grad():
        objective(embedded, trainer.windows.labels[rows], trainer.windows.subjects[rows])


def _check_alike(trainers: Sequence[Trainer], names: Sequence[str]) -> None:
    """Refuse runs that cannot share a program; the message names the differences."""
    if not trainers:
        raise TrainingError("a fleet of no runs; give at least one")
    kinds = [
        {
            "encoder": trainer.encoder.config,
            "windows in a batch": trainer.sampler.batch_size,
            "augmentation": trainer.augmentation,
            "a score": trainer.score is not None,
            "channels": trainer.windows.tensors.channels,
            "samples in a window": trainer.windows.tensors.length,
            "device": str(trainer.windows.device),
            "precision": str(next(trainer.encoder.parameters()).dtype),
        }
        for trainer in trainers
    ]
    for at, kind in enumerate(kinds):
        if differ := [name for name, value in kind.items() if value != kinds[0][name]]:
            raise TrainingError(
                f"{names[0]} and {names[at]} differ in {', '.join(differ)}; "
                "train them in separate fleets"
            )

"""A fleet: many independent runs trained as one program.

Each run has its own batches, dropout, rate, temperature, count of steps and early stopping, and
becomes what it would have become alone; only the arithmetic is shared.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pacl.training.epoch_log import EpochLog
from pacl.training.errors import TrainingError
from pacl.training.fleet_checks import check_fleet
from pacl.training.packed import PackedRuns
from pacl.training.trainer import Trainer
from pacl.training.windows import join_windows

StackedScore = Callable[[Mapping[str, Any], Mapping[str, Tensor], Sequence[int]], list[float]]
"""How good encoders are: given their config, stacked weights, and which run each row is."""

LEFT = 0.7
"""The fleet is packed anew when no more than this share of its rows is still training."""


class Fleet:
    """Trainers whose encoders have one shape, an epoch at a time.

    Parameters
    ----------
    trainers
        The runs; each as it would be trained alone, new or taken up again. Their encoders, batch
        sizes, dtype and device agree.
    score
        Judges all encoders at once; none if the runs keep their last weights.
    capture
        Whether to replay a captured step; by default on a GPU.
    names
        What to call the runs in messages; by default their numbers.

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
        """Train, an epoch of all runs at a time, until the last is done; then all are in place.

        A run that diverges ends there, as it would alone, and is told in `failed`; others go on.
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
        return [
            at
            for at, trainer in enumerate(self.trainers)
            if not trainer.done and at not in self.failed
        ]

    def run_epoch(self) -> dict[int, EpochLog]:
        """One epoch of each run that is not done; by the number of the run."""
        began = time.perf_counter()
        packed = self.packed
        running = [row for row, at in enumerate(self.rows) if at in self.running]
        steps = packed.set_epoch(running)
        for _ in range(int(steps.max())):
            packed.advance()
        packed.plan_ahead(running)
        losses = (packed.told / torch.from_numpy(np.maximum(steps, 1)).to(packed.told)).tolist()
        for row in running:
            with self._failing(self.rows[row]):
                self.trainers[self.rows[row]].check_finite(losses[row])
        running = [row for row in running if self.rows[row] not in self.failed]
        if not running:
            return {}
        stepped = time.perf_counter()
        scores = self._scores(running)
        spreads, taus = packed.spreads(steps), packed.taus()
        seconds = tuple(
            taken / len(running) for taken in (stepped - began, time.perf_counter() - stepped)
        )
        logs = {}
        for row, score in zip(running, scores, strict=True):
            trainer, count = self.trainers[self.rows[row]], int(steps[row])
            told = trainer.objective.report()
            with self._failing(self.rows[row]):
                logs[self.rows[row]] = trainer.end_epoch(
                    losses[row],
                    score,
                    spreads=spreads[row],
                    lr=trainer.rate(count - 1, count),
                    windows=count * packed.batch,
                    seconds=(seconds[0], seconds[1]),
                    extra=told | {"tau": taus[row]} if "tau" in told else told,
                )
        packed.keep_best(
            [row for row in running if self.rows[row] in logs and logs[self.rows[row]].best]
        )
        return logs

    def _scores(self, running: Sequence[int]) -> Sequence[float | None]:
        """How good the encoders of some rows are, if anybody asks."""
        if self.score is None:
            return [None] * len(running)
        weights = self.packed.part("encoder")
        return self.score(
            self.packed.config,
            {name: value.detach()[list(running)] for name, value in weights.items()},
            [self.rows[row] for row in running],
        )

    def sync(self) -> None:
        """Bring every trainer up to date, so that it can be saved, or go on alone."""
        for row, at in enumerate(self.rows):
            if at not in self.failed:
                self.packed.write_back(row)

    def _pack(self, rows: Sequence[int]) -> None:
        """Give each of some runs a row, if any are left."""
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
        """Let a run that cannot go on end alone, and keep what it died of."""
        try:
            yield
        except TrainingError as error:
            self.failed[at] = TrainingError(f"{self.names[at]}, {error}")

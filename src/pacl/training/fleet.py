"""A fleet: many independent runs trained as one program.

Each run has its own batches, dropout, rate, temperature, count of steps and early stopping, and
becomes what it would have become alone; only the arithmetic is shared. On a GPU a step of all runs
is captured once and replayed, so that nothing waits for Python.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Int64
from pacl.models.dropout import Masks, random_bits, split_masks
from pacl.models.encoder import mask_shapes
from pacl.models.stacked import embed_stacked, stack_weights
from pacl.objectives.stacked import StackedObjective, stack_objectives
from pacl.training.epoch_log import EpochLog, spread
from pacl.training.errors import TrainingError
from pacl.training.fleet_checks import check_fleet
from pacl.training.stacked_adamw import StackedAdamW
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
        Judges all encoders at once.
    capture
        Whether to replay a captured step; by default on a GPU.
    names
        What to call the runs in messages; by default their numbers.

    Examples
    --------
    >>> for logs in Fleet(trainers, score):  # doctest: +SKIP
    ...     for run, log in logs.items():
    ...         print(run, log.epoch, log.score)
    """

    def __init__(
        self,
        trainers: Sequence[Trainer],
        score: StackedScore,
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
        running = [row for row, at in enumerate(self.rows) if at in self.running]
        steps = self._set_epoch(running)
        for _ in range(int(steps.max())):
            self._advance()
        self._plan_ahead(running)
        losses = (self.told / torch.from_numpy(np.maximum(steps, 1)).to(self.told)).tolist()
        for row in running:
            with self._failing(self.rows[row]):
                self.trainers[self.rows[row]].check_finite(losses[row])
        running = [row for row in running if self.rows[row] not in self.failed]
        if not running:
            return {}
        stepped = time.perf_counter()
        scores = self.score(
            self.config,
            {
                name: value.detach()[running]
                for name, value in _part(self.optimiser.weights, "encoder").items()
            },
            [self.rows[row] for row in running],
        )
        spreads = self._spreads(steps)
        seconds = tuple(
            taken / len(running) for taken in (stepped - began, time.perf_counter() - stepped)
        )
        taus = self.optimiser.weights["objective.log_tau"].detach().exp().tolist()
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
                    windows=count * self.batch,
                    seconds=(seconds[0], seconds[1]),
                    extra=told | {"tau": taus[row]} if "tau" in told else told,
                )
        better = [row for row in running if self.rows[row] in logs and logs[self.rows[row]].best]
        self.best[better] = self.optimiser.matrix[better]
        return logs

    def sync(self) -> None:
        """Bring every trainer up to date, so that it can be saved, or go on alone."""
        if not self.rows:
            return
        steps = self.optimiser.steps.tolist()
        best = self.optimiser.by_name(self.best)
        for row, at in enumerate(self.rows):
            if at in self.failed:
                continue
            state = self.optimiser.state(row)
            self.trainers[at].load_parameters(
                state["weight"],
                {"exp_avg": state["exp_avg"], "exp_avg_sq": state["exp_avg_sq"]},
                {name: value[row].clone() for name, value in best.items()},
                int(steps[row]),
            )

    def _pack(self, rows: Sequence[int]) -> None:
        """Stack runs: one row each."""
        self.rows = list(rows)
        if not rows:
            return
        trainers = [self.trainers[at] for at in rows]
        self.config = trainers[0].encoder.config
        self.batch = trainers[0].sampler.batch_size
        self.offset = torch.tensor([self.offsets[at] for at in rows], device=self.device)[:, None]
        self.objective = StackedObjective.of([trainer.objective for trainer in trainers])
        stacked = {
            **_prefixed("encoder", stack_weights([trainer.encoder for trainer in trainers])),
            **_prefixed("objective", stack_objectives([trainer.objective for trainer in trainers])),
        }
        like = next(iter(stacked.values()))
        decays = [trainer.weight_decay for trainer in trainers]
        # A head on z leaves the projection without gradients, and torch's AdamW leaves it as it is.
        idle = {name: self.objective.on_pooled for name in stacked if ".project" in name}
        self.optimiser = StackedAdamW(
            stacked, torch.tensor(decays, device=self.device, dtype=like.dtype), idle
        )
        self.best = self.optimiser.matrix.clone()
        for row, trainer in enumerate(trainers):
            self._load(row, trainer)
        self.generators = [torch.Generator(self.device) for _ in rows]
        longest = max(trainer.sampler.longest for trainer in trainers)
        shape = (longest, len(rows))
        self.row_table = torch.zeros((*shape, self.batch), dtype=torch.int64, device=self.device)
        self.active_table = torch.zeros(shape, dtype=torch.bool, device=self.device)
        self.lr_table = torch.zeros(shape, dtype=torch.float64, device=self.device)
        self.at = torch.zeros(1, dtype=torch.int64, device=self.device)
        self.told = torch.zeros(len(rows), dtype=like.dtype, device=self.device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def _load(self, row: int, trainer: Trainer) -> None:
        """Put a run's weights, moments and best weights into a row."""
        parameters = trainer.named_parameters()
        state = trainer.optimiser.state
        moments = {
            moment: {
                name: state[parameter][moment]
                for name, parameter in parameters.items()
                if parameter in state
            }
            for moment in ("exp_avg", "exp_avg_sq")
        }
        steps = max((int(one["step"]) for one in state.values()), default=0)
        weights = {name: parameter.detach() for name, parameter in parameters.items()}
        self.optimiser.load(row, {"weight": weights, **moments}, steps)
        best = trainer.best_parameters()
        for name, view in self.optimiser.by_name(self.best).items():
            if name in best:
                view[row] = best[name]

    def _set_epoch(self, running: Sequence[int]) -> Int64[Array, "row"]:
        """Put the epoch's batches, rates and seeds in place; how many steps each run takes."""
        steps = np.zeros(len(self.rows), dtype=np.int64)
        rows = np.zeros(self.row_table.shape, dtype=np.int64)
        active = np.zeros(self.active_table.shape, dtype=bool)
        rates = np.zeros(self.lr_table.shape)
        for row in running:
            trainer = self.trainers[self.rows[row]]
            trainer.sampler.set_epoch(trainer.epoch)
            batches = trainer.sampler.epoch_rows()
            steps[row] = count = len(batches)
            rows[:count, row] = batches
            active[:count, row] = True
            rates[:count, row] = [trainer.rate(step, count) for step in range(count)]
            self.generators[row].manual_seed(trainer.dropout_seed())
        for table, values in (
            (self.row_table, rows),
            (self.active_table, active),
            (self.lr_table, rates),
        ):
            table.copy_(torch.from_numpy(values))
        self.told.zero_()
        self.at.zero_()
        return steps

    def _plan_ahead(self, running: Sequence[int]) -> None:
        """Plan the next epoch's batches while the device is busy with this one's."""
        for row in running:
            trainer = self.trainers[self.rows[row]]
            trainer.sampler.set_epoch(trainer.epoch + 1)
            len(trainer.sampler)

    def _advance(self) -> None:
        """One step of every run that is active in it."""
        if not self.capture:
            self._step()
            return
        if self._graph is None:
            self._capture()
        assert self._graph is not None  # noqa: S101 - for the type checker
        self._graph.replay()

    def _capture(self) -> None:
        """Record a step; trying it out beforehand, with every run at rest, moves nothing."""
        active = self.active_table.clone()
        states = [generator.get_state() for generator in self.generators]
        self.active_table.zero_()
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                self._step()
                self.at.zero_()  # an epoch may have a single step
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        for generator, state in zip(self.generators, states, strict=True):
            generator.set_state(state)
            graph.register_generator_state(generator)
        self.optimiser.clear()
        with torch.cuda.graph(graph):
            self._step()
        self.active_table.copy_(active)
        self.told.zero_()
        self.at.zero_()
        self._graph = graph

    def _step(self) -> None:
        rows = self.row_table.index_select(0, self.at)[0] + self.offset
        active = self.active_table.index_select(0, self.at)[0]
        rate = self.lr_table.index_select(0, self.at)[0]
        batch = self.windows.take(rows)
        weights = self.optimiser.weights
        self.optimiser.clear()
        out = embed_stacked(
            self.config,
            _part(weights, "encoder"),
            batch.windows.to(self.told.dtype),
            self._draw_masks(),
        )
        objective = _part(weights, "objective")
        losses = self.objective.losses(objective, out, batch.labels, batch.patients)
        torch.autograd.backward(losses.sum())
        self.optimiser.step(rate, active)
        self.objective.project(objective)
        self.told += torch.where(active, losses.detach(), 0)
        self.at += 1

    @contextmanager
    def _failing(self, at: int) -> Iterator[None]:
        """Let a run that cannot go on end alone, and keep what it died of."""
        try:
            yield
        except TrainingError as error:
            self.failed[at] = TrainingError(f"{self.names[at]}, {error}")

    @torch.no_grad()
    def _spreads(self, steps: Int64[Array, "row"]) -> list[tuple[float, float]]:
        """How far the embeddings of each run's last batch lie apart, without dropout."""
        last = torch.from_numpy(np.maximum(steps - 1, 0)).to(self.device)
        rows = self.row_table[last, torch.arange(len(self.rows), device=self.device)] + self.offset
        x = self.windows.take(rows).windows.to(self.told.dtype)
        out = embed_stacked(self.config, _part(self.optimiser.weights, "encoder"), x)
        pooled, projected = spread(out.pooled).tolist(), spread(out.projected).tolist()
        return list(zip(pooled, projected, strict=True))

    def _draw_masks(self) -> Masks:
        """The masks each run would draw alone."""
        shapes = mask_shapes(self.config, self.batch, self.windows.tensors.window_beats)
        count = sum(math.prod(shape) for shape in shapes.values())
        bits = [random_bits(count, generator, self.device) for generator in self.generators]
        return split_masks(torch.stack(bits), shapes, self.config["dropout"], self.told.dtype)


def _prefixed(prefix: str, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{prefix}.{name}": value for name, value in values.items()}


def _part(values: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Those whose names begin with a prefix, without it."""
    return {
        name.removeprefix(f"{prefix}."): value
        for name, value in values.items()
        if name.startswith(f"{prefix}.")
    }

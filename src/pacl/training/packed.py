"""Runs packed into one program: one row each of stacked weights, moments, batches and rates.

On a GPU a step of all rows is captured once as a CUDA graph and replayed.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Int64
from pacl.models import Masks, embed_stacked, mask_shapes, random_bits, split_masks, stack_weights
from pacl.objectives import StackedObjective, stack_objectives, stacked_name
from pacl.training.augmentation import Augmentation
from pacl.training.epoch_log import spread
from pacl.training.stacked_adamw import StackedAdamW
from pacl.training.trainer import Trainer
from pacl.training.windows import LabelledWindows

MOMENTS = ("exp_avg", "exp_avg_sq")
"""What AdamW keeps for each weight."""


class PackedRuns:
    """Stacked trainers, one row each, starting from their current states.

    `windows` are those of all runs, `offsets` where those of each run begin. `capture` replays a
    captured step (CUDA graph).
    """

    def __init__(
        self,
        trainers: Sequence[Trainer],
        windows: LabelledWindows,
        offsets: Sequence[int],
        *,
        capture: bool,
    ) -> None:
        self.trainers, self.windows, self.capture = list(trainers), windows, capture
        self.device = windows.device
        self.config = trainers[0].encoder.config
        self.batch = trainers[0].sampler.batch_size
        self.augmentation = trainers[0].augmentation
        self.offset = torch.tensor(offsets, device=self.device)[:, None]
        self.objective = StackedObjective.of([trainer.objective for trainer in trainers])
        parts = {
            "encoder": stack_weights([trainer.encoder for trainer in trainers]),
            "objective": stack_objectives([trainer.objective for trainer in trainers]),
        }
        stacked = {
            f"{part}.{name}": value
            for part, values in parts.items()
            for name, value in values.items()
        }
        like = next(iter(stacked.values()))
        decays = [trainer.weight_decay for trainer in trainers]
        # With a head on z the projection has no gradient, and torch's AdamW does not change it.
        idle = {name: self.objective.on_pooled for name in stacked if ".project" in name}
        self.optimiser = StackedAdamW(
            stacked, torch.tensor(decays, device=self.device, dtype=like.dtype), idle
        )
        self.best = self.optimiser.matrix.clone()
        for row, trainer in enumerate(trainers):
            self._load(row, trainer)
        self.generators = [torch.Generator(self.device) for _ in trainers]
        longest = max(trainer.sampler.longest for trainer in trainers)
        shape = (longest, len(trainers))
        self.row_table = torch.zeros((*shape, self.batch), dtype=torch.int64, device=self.device)
        self.active_table = torch.zeros(shape, dtype=torch.bool, device=self.device)
        self.lr_table = torch.zeros(shape, dtype=torch.float64, device=self.device)
        self.at = torch.zeros(1, dtype=torch.int64, device=self.device)
        self.losses = torch.zeros(len(trainers), dtype=like.dtype, device=self.device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def part(self, name: Literal["encoder", "objective"]) -> dict[str, Tensor]:
        """The stacked weights of all encoders, or of all objectives."""
        weights = self.optimiser.weights
        return {
            key.removeprefix(f"{name}."): value
            for key, value in weights.items()
            if key.startswith(f"{name}.")
        }

    def taus(self) -> list[float]:
        """The temperature of each row; meaningless for objectives without one."""
        found: list[float] = self.optimiser.weights["objective.log_tau"].detach().exp().tolist()
        return found

    def keep_best(self, rows: Sequence[int]) -> None:
        """Keep the current weights of some rows as their best."""
        self.best[rows] = self.optimiser.matrix[rows]

    def set_epoch(self, running: Sequence[int]) -> Int64[Array, "row"]:
        """Load batches, rates and seeds of the epoch; returns the number of steps of each run."""
        steps = np.zeros(len(self.trainers), dtype=np.int64)
        rows = np.zeros(self.row_table.shape, dtype=np.int64)
        active = np.zeros(self.active_table.shape, dtype=bool)
        rates = np.zeros(self.lr_table.shape)
        for row in running:
            trainer = self.trainers[row]
            trainer.sampler.set_epoch(trainer.epoch)
            batches = trainer.sampler.epoch_rows()
            steps[row] = count = len(batches)
            rows[:count, row] = batches
            active[:count, row] = True
            rates[:count, row] = [trainer.rate(step, count) for step in range(count)]
            self.generators[row].manual_seed(trainer.dropout_seed())
        self.row_table.copy_(torch.from_numpy(rows))
        self.active_table.copy_(torch.from_numpy(active))
        self.lr_table.copy_(torch.from_numpy(rates))
        self.losses.zero_()
        self.at.zero_()
        return steps

    def plan_ahead(self, running: Sequence[int]) -> None:
        """Plan the batches of the next epoch while the device computes this one."""
        for row in running:
            trainer = self.trainers[row]
            trainer.sampler.set_epoch(trainer.epoch + 1)
            len(trainer.sampler)

    def advance(self) -> None:
        """One step of all active rows."""
        if not self.capture:
            self.step()
            return
        if self._graph is None:
            self._capture()
        assert self._graph is not None  # noqa: S101 - for the type checker
        self._graph.replay()

    def step(self) -> None:
        """One step, without a captured graph."""
        rows = self.row_table.index_select(0, self.at)[0] + self.offset
        active = self.active_table.index_select(0, self.at)[0]
        rate = self.lr_table.index_select(0, self.at)[0]
        batch = self.windows.take(rows)
        x = batch.windows
        if self.augmentation is not None:
            x = self.augmentation.put(x, self._draw_augmentation(self.augmentation))
        self.optimiser.clear()
        out = embed_stacked(
            self.config, self.part("encoder"), x.to(self.losses.dtype), self._draw_masks()
        )
        objective = self.part("objective")
        losses = self.objective.losses(objective, out, batch.labels, batch.subjects)
        torch.autograd.backward(losses.sum())
        self.optimiser.step(rate, active)
        self.objective.project(objective)
        self.losses += torch.where(active, losses.detach(), 0)
        self.at += 1

    @torch.no_grad()
    def write_back(self, row: int) -> None:
        """Write the state of a row to its trainer."""
        state, steps = self.optimiser.state(row), int(self.optimiser.steps[row])
        trainer, best = self.trainers[row], self.optimiser.by_name(self.best)
        for name, parameter in trainer.named_parameters().items():
            parameter.copy_(state["weight"][name])
            if steps and parameter.requires_grad:
                moments = {moment: state[moment][name] for moment in MOMENTS}
                trainer.optimiser.state[parameter] = {"step": torch.tensor(float(steps)), **moments}
        trainer.best = {
            part: {name: best[_stacked(part, name)][row].clone() for name in weights}
            for part, weights in trainer.best.items()
        }

    @torch.no_grad()
    def spreads(self, steps: Int64[Array, "row"]) -> list[tuple[float, float]]:
        """Spread of the embeddings of the last batch of each run, without dropout."""
        last = torch.from_numpy(np.maximum(steps - 1, 0)).to(self.device)
        each = torch.arange(len(self.trainers), device=self.device)
        rows = self.row_table[last, each] + self.offset
        x = self.windows.take(rows).windows.to(self.losses.dtype)
        out = embed_stacked(self.config, self.part("encoder"), x)
        pooled, projected = spread(out.pooled).tolist(), spread(out.projected).tolist()
        return list(zip(pooled, projected, strict=True))

    def _load(self, row: int, trainer: Trainer) -> None:
        """Copy weights, moments and best weights of a run into a row."""
        parameters, state = trainer.named_parameters(), trainer.optimiser.state
        moments = {
            moment: {
                name: state[parameter][moment]
                for name, parameter in parameters.items()
                if parameter in state
            }
            for moment in MOMENTS
        }
        steps = max((int(one["step"]) for one in state.values()), default=0)
        weights = {name: parameter.detach() for name, parameter in parameters.items()}
        self.optimiser.load(row, {"weight": weights, **moments}, steps)
        best = {
            _stacked(part, name): value
            for part, weights in trainer.best.items()
            for name, value in weights.items()
        }
        for name, view in self.optimiser.by_name(self.best).items():
            if name in best:
                view[row] = best[name]

    def _capture(self) -> None:
        """Capture a step; the trial steps before it change nothing, as all runs are inactive."""
        active = self.active_table.clone()
        states = [generator.get_state() for generator in self.generators]
        self.active_table.zero_()
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                self.step()
                self.at.zero_()  # an epoch may have a single step
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        for generator, state in zip(self.generators, states, strict=True):
            generator.set_state(state)
            graph.register_generator_state(generator)
        self.optimiser.clear()
        with torch.cuda.graph(graph):
            self.step()
        self.active_table.copy_(active)
        self.losses.zero_()
        self.at.zero_()
        self._graph = graph

    def _draw_augmentation(self, augmentation: Augmentation) -> Tensor:
        """The numbers that each run would draw alone."""
        of = self.windows.tensors
        drawn = [
            augmentation.draw(self.batch, of.length, one, self.device, of.channels)
            for one in self.generators
        ]
        return torch.stack(drawn)

    def _draw_masks(self) -> Masks:
        """The masks each run would draw alone."""
        shapes = mask_shapes(self.config, self.batch, self.windows.tensors.length)
        count = sum(math.prod(shape) for shape in shapes.values())
        bits = [random_bits(count, generator, self.device) for generator in self.generators]
        return split_masks(torch.stack(bits), shapes, self.config["dropout"], self.losses.dtype)


def _stacked(part: str, name: str) -> str:
    """The name of a parameter in the stacked weights."""
    return f"{part}.{stacked_name(name)}"

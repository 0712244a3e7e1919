"""One eager training loop, and what it needs: AdamW, learning rate, seeds, checkpoints (App. B)."""

import ctypes
import io
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from pacl.atomic_write import atomic_write
from pacl.stored import read_state
from pacl.training.errors import TrainingError

Batch = TypeVar("Batch")


def take_steps(
    optimiser: torch.optim.Optimizer,
    batches: Iterable[Batch],
    loss_of: Callable[[Batch], Tensor],
    *,
    rate: Callable[[int], float] | None = None,
    largest_norm: float | None = None,
    after_step: Callable[[int, Tensor], None] | None = None,
) -> Tensor:
    """Take one optimisation step per batch; returns the sum of their losses, on the device.

    Parameters
    ----------
    rate
        Learning rate of a step, counted from 0; without it the optimiser's own.
    largest_norm
        Gradients of a larger norm are scaled down to this norm.
    after_step
        Called after each step with its number and its loss.
    """
    total = torch.zeros(())
    for step, batch in enumerate(batches):
        if rate is not None:
            for group in optimiser.param_groups:
                group["lr"] = rate(step)
        loss = loss_of(batch)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        if largest_norm is not None:
            weights = [one for group in optimiser.param_groups for one in group["params"]]
            nn.utils.clip_grad_norm_(weights, largest_norm)
        optimiser.step()
        loss = loss.detach()
        total = total + loss if step else loss
        if after_step is not None:
            after_step(step, loss)
    return total


def usable_device(name: str) -> torch.device:
    """A device by name; `auto` is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).tolist()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0].split(". ")[0]
        raise TrainingError(
            f"device {name}: cannot be used here ({reason}); use cpu, or auto"
        ) from error
    return device


def cosine(base: float, lowest: float, done: float) -> float:
    """Learning rate after the share `done` of a training: `base` at 0, `lowest` at 1."""
    return lowest + (base - lowest) * (1 + math.cos(math.pi * min(done, 1.0))) / 2


def make_adamw(*modules: nn.Module, lr: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW over all parameters that learn; scalars, such as log tau, have no weight decay."""
    learned = [p for module in modules for p in module.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in learned if p.ndim > 0], "weight_decay": weight_decay},
        {"params": [p for p in learned if p.ndim == 0], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=lr)


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds of the initial weights, the batches and the dropout of a training.

    Examples
    --------
    >>> Seeds.of(1) == Seeds.of(1), Seeds.of(1) == Seeds.of(1, stage=1)
    (True, False)
    """

    weights: int
    batches: int
    dropout: int

    @classmethod
    def of(cls, seed: int, stage: int = 0) -> "Seeds":
        """Derive all of them from one seed; another stage gets other seeds."""
        sequence = np.random.SeedSequence(seed, spawn_key=(stage,) if stage else ())
        state = sequence.generate_state(3, np.uint64)
        return cls(*(int(value >> np.uint64(1)) for value in state))

    def of_weights(self) -> torch.Generator:
        """A generator for the initial weights, on the CPU."""
        return torch.Generator().manual_seed(self.weights)


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""As glibc's malloc.h numbers them."""
KEPT_BYTES = 2**30


def keep_freed_memory() -> bool:
    """Let this process keep up to 1 GiB of freed memory, instead of returning it to the system.

    A training step on a CPU allocates and frees the same 100 MiB. If the system clears these pages
    each time, that costs 10 % of the step or more. Peak memory does not change. Only the main
    program should call this, as it concerns the entire process. Returns whether it worked: it
    needs glibc.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, KEPT_BYTES) and mallopt(TRIM_THRESHOLD, KEPT_BYTES))


MOST_BYTES = 8 * 2**30
"""Of a checkpoint."""


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write a state atomically: the older file stays until the new one is complete."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    atomic_write(path, buffer.getvalue())


def load_checkpoint(path: Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """Read a state back."""
    return read_state(path, _no_checkpoint, most=MOST_BYTES, device=device)


def _no_checkpoint(path: Path, what: str) -> TrainingError:
    return TrainingError(f"{path}: the checkpoint {what}; remove the run's folder and train again")

"""The result of an epoch, collapse of embeddings, and early stopping."""

from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

COLLAPSED = 0.02
"""Embeddings are collapsed if their root mean square distance from the mean is below this."""


@dataclass(frozen=True, slots=True)
class EpochLog:
    """The result of one epoch."""

    epoch: int
    loss: float
    score: float | None
    """None without a score."""
    best: bool
    lr: float
    pooled_spread: float
    """Spread of the embeddings of the last batch, without dropout; at most 1."""
    projected_spread: float
    windows: int
    seconds: float
    """Time of the steps."""
    score_seconds: float
    extra: dict[str, float] = field(default_factory=dict)
    """Values that the objective reports, such as tau."""

    @property
    def collapsed(self) -> tuple[str, ...]:
        """Which embeddings have collapsed to a point: pooled, projected, both or none."""
        spreads = {"pooled": self.pooled_spread, "projected": self.projected_spread}
        return tuple(name for name, spread in spreads.items() if spread < COLLAPSED)


@torch.no_grad()
def spread(embedded: Tensor) -> Tensor:
    """Root mean square distance of vectors, (..., window, feature), from their mean."""
    centred = embedded - embedded.mean(dim=-2, keepdim=True)
    return centred.square().sum(dim=-1).mean(dim=-1).sqrt()


@dataclass(slots=True)
class EarlyStopping:
    """Stops when `patience` epochs in a row brought no better score."""

    patience: int = 10
    best_score: float | None = None
    best_epoch: int = -1
    last_epoch: int = -1

    def update(self, epoch: int, score: float) -> bool:
        """Record the score of an epoch; returns whether it is the best so far."""
        self.last_epoch = epoch
        if self.best_score is not None and score <= self.best_score:
            return False
        self.best_score, self.best_epoch = score, epoch
        return True

    @property
    def exhausted(self) -> bool:
        """Whether training should stop."""
        return self.last_epoch - self.best_epoch >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """The state as plain values."""
        return asdict(self)

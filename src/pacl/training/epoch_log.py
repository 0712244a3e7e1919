"""What came of an epoch, and whether embeddings have collapsed in it."""

from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

COLLAPSED = 0.02
"""Root mean square distance of unit vectors from their mean, below which they are a point."""


@dataclass(frozen=True, slots=True)
class EpochLog:
    """What is worth knowing of an epoch."""

    epoch: int
    loss: float
    score: float | None
    """None where nothing is chosen by a score."""
    best: bool
    lr: float
    pooled_spread: float
    """How far the embeddings of the last batch lie apart, without dropout; at most 1."""
    projected_spread: float
    windows: int
    seconds: float
    """Of the steps alone."""
    score_seconds: float
    extra: dict[str, float] = field(default_factory=dict)
    """What the objective reports, such as tau."""

    @property
    def collapsed(self) -> tuple[str, ...]:
        """Which embeddings have shrunk to a point: pooled, projected, or none."""
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
        """Take note of an epoch's score; whether it is the best so far."""
        self.last_epoch = epoch
        if self.best_score is not None and score <= self.best_score:
            return False
        self.best_score, self.best_epoch = score, epoch
        return True

    @property
    def exhausted(self) -> bool:
        """Whether patience has run out."""
        return self.last_epoch - self.best_epoch >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """All of it, as plain values."""
        return asdict(self)

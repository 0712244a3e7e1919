"""Early stopping: the best score so far, and how long ago it was."""

from dataclasses import asdict, dataclass
from typing import Any


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

"""Settings of batches and of the optimiser."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pacl.settings.bounds import Count, CountFrom0, Rate, RateFrom0

Keep = Literal["best", "last"]
"""Which weights are kept: those with the best score, or the last."""


@dataclass(frozen=True)
class SamplerSettings:
    """Of `SubjectSampler`: how a batch is made, and who may be in it."""

    subjects: Count = 8
    """Subjects in a batch."""
    windows: Count = 16
    """Windows of each class from each subject in a batch."""
    one_class: bool = False
    """Whether subjects with windows of one class alone take part; they give as many of it."""
    turns: Count | None = None
    """The most batches of one epoch that a subject is in."""


@dataclass(frozen=True)
class TrainSettings:
    """Of `Trainer`: the optimiser, and when to stop."""

    lr: Rate = 6.8e-3
    """Learning rate at the start."""
    weight_decay: RateFrom0 = 8.8e-4
    """Weight decay of AdamW; tau does not decay."""
    lowest_lr: RateFrom0 = 1e-6
    """Learning rate at the end; it falls along a cosine."""
    epochs: Count = 100
    """The most epochs."""
    patience: Count = 10
    """Training stops after this many epochs without a better validation score."""
    per_step: bool = False
    """Whether the rate falls with each step rather than each epoch."""
    keep: Keep = "best"
    """Which weights are kept: those with the best validation score, or the last."""
    score_windows: CountFrom0 = 0
    """The most training windows that the probe of the validation score is fitted on; 0 for all."""

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        if self.lowest_lr > self.lr:
            yield f"lowest_lr {self.lowest_lr:g} is above lr {self.lr:g}"

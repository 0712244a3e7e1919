"""Training: epochs of subject-aware batches, with early stopping (App. B)."""

import copy
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pacl.models import Network, full_precision
from pacl.objectives import Objective, ObjectiveError, stacked_name
from pacl.settings import Keep, TrainSettings
from pacl.stored import build, fitted
from pacl.training.augmentation import Augmentation
from pacl.training.epoch_log import EarlyStopping, EpochLog, spread
from pacl.training.errors import TrainingError
from pacl.training.loop import cosine, make_adamw, take_steps
from pacl.training.sampler import SubjectSampler
from pacl.training.windows import LabelledWindows

Score = Callable[[Network], float]
"""How good an encoder is, higher is better; given the encoder in evaluation mode."""

DEFAULT = TrainSettings()


class Trainer:
    """The training of one encoder with one objective; its state can be saved and resumed.

    Parameters
    ----------
    encoder, objective
        The modules to train; both are moved to the device of the windows.
    score
        Evaluates the encoder after each epoch, on validation windows; None where `keep` is "last".
    generator
        For dropout and augmentation, on the device of the windows; seeded again in each epoch.
    lr, weight_decay, lowest_lr
        Settings of AdamW, and the last learning rate of the cosine.
    epochs, patience
        Maximum number of epochs; epochs without a better score after which training stops.
    per_step
        Whether the learning rate falls with each step, not with each epoch.
    keep
        Which weights are kept.
    augmentation
        How training windows are changed at random.
    track
        Called with the steps done in this epoch and their number.

    Examples
    --------
    >>> for log in trainer:
    ...     state = trainer.state_dict()
    >>> trainer.restore_best()
    """

    def __init__(
        self,
        encoder: Network,
        objective: Objective,
        windows: LabelledWindows,
        sampler: SubjectSampler,
        score: Score | None,
        *,
        generator: torch.Generator,
        lr: float = DEFAULT.lr,
        weight_decay: float = DEFAULT.weight_decay,
        lowest_lr: float = DEFAULT.lowest_lr,
        epochs: int = DEFAULT.epochs,
        patience: int = DEFAULT.patience,
        per_step: bool = DEFAULT.per_step,
        keep: Keep = DEFAULT.keep,
        augmentation: Augmentation | None = None,
        track: Callable[[int, int], None] | None = None,
    ) -> None:
        if (score is None) != (keep == "last"):
            raise TrainingError(
                f"keep is {keep!r} {'without' if score is None else 'with'} a score; "
                "'best' needs a score, 'last' takes none"
            )
        if augmentation is not None:
            augmentation.check(windows)
        self.augmentation = augmentation
        self.encoder = encoder.to(windows.device)
        self.objective = objective.to(windows.device)
        self.windows, self.sampler, self.score = windows, sampler, score
        self.generator, self.track = generator, track
        self.lr, self.lowest_lr, self.per_step = lr, lowest_lr, per_step
        self.weight_decay = weight_decay
        self._dropout_seed = generator.initial_seed()
        self.epochs, self.epoch = epochs, 0
        self.optimiser = make_adamw(encoder, objective, lr=lr, weight_decay=weight_decay)
        self.stopping = EarlyStopping(patience)
        self.best = self._weights()

    @property
    def done(self) -> bool:
        """Whether all epochs are done, or early stopping ended the training."""
        return self.epoch >= self.epochs or self.stopping.exhausted

    def __iter__(self) -> Iterator[EpochLog]:
        """Train, one epoch at a time."""
        while not self.done:
            yield self.run_epoch()

    @full_precision()
    def run_epoch(self) -> EpochLog:
        """Train one epoch, then compute the score."""
        began = time.perf_counter()
        self.encoder.train()
        self.objective.train()
        self.sampler.set_epoch(self.epoch)
        self.generator.manual_seed(self.dropout_seed())
        rows = torch.from_numpy(self.sampler.epoch_rows()).to(self.windows.device)
        total = take_steps(
            self.optimiser,
            rows,
            self._loss,
            rate=lambda step: self.rate(step, len(rows)),
            after_step=lambda step, _: self._after_step(step + 1, len(rows)),
        )
        loss = float(total / len(rows))
        self.check_finite(loss)
        stepped = time.perf_counter()
        self.encoder.eval()
        score = None if self.score is None else self.score(self.encoder)
        with torch.no_grad():
            out = self.encoder(self.windows.take(rows[-1]).windows)
        log = self.end_epoch(
            loss,
            score,
            spreads=(float(spread(out.pooled)), float(spread(out.projected))),
            lr=self.rate(len(rows) - 1, len(rows)),
            windows=rows.numel(),
            seconds=(stepped - began, time.perf_counter() - stepped),
            extra=self.objective.report(),
        )
        if log.best:
            self.best = self._weights()
        return log

    def end_epoch(
        self,
        loss: float,
        score: float | None,
        *,
        spreads: tuple[float, float],
        lr: float,
        windows: int,
        seconds: tuple[float, float],
        extra: dict[str, float],
    ) -> EpochLog:
        """Record an epoch whose steps were taken, here or in a fleet."""
        if score is not None and not math.isfinite(score):
            raise self._diverged(f"the score is {score}")
        best = score is None or self.stopping.update(self.epoch, score)
        self.epoch += 1
        return EpochLog(
            epoch=self.epoch,
            loss=loss,
            score=score,
            best=best,
            lr=lr,
            pooled_spread=spreads[0],
            projected_spread=spreads[1],
            windows=windows,
            seconds=seconds[0],
            score_seconds=seconds[1],
            extra=extra,
        )

    def check_finite(self, loss: float) -> None:
        """Raise an error if the loss is not finite."""
        if not math.isfinite(loss):
            raise self._diverged(f"the loss is {loss}")

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step of this epoch."""
        within = step / steps if self.per_step else 0.0
        return cosine(self.lr, self.lowest_lr, (self.epoch + within) / self.epochs)

    def dropout_seed(self) -> int:
        """Seed of this epoch's dropout; the same however often the epoch is run."""
        sequence = np.random.SeedSequence((self._dropout_seed, self.epoch))
        return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))

    def _loss(self, rows: Tensor) -> Tensor:
        """The loss of one batch."""
        batch, length = self.windows.take(rows), self.windows.tensors.length
        x = batch.windows
        if self.augmentation is not None:
            channels = self.windows.tensors.channels
            drawn = self.augmentation.draw(len(rows), length, self.generator, x.device, channels)
            x = self.augmentation.put(x, drawn)
        masks = self.encoder.draw_masks(len(rows), length, self.generator)
        out = self.encoder(x, masks)
        try:
            loss: Tensor = self.objective(
                getattr(out, self.objective.reads), batch.labels, batch.subjects
            )
        except ObjectiveError as error:
            if not bool(out.projected_raw.norm(dim=1).isfinite().all()):
                raise self._diverged("embeddings are not finite") from error
            raise
        return loss

    def _after_step(self, steps: int, of: int) -> None:
        self.objective.after_step()
        if self.track is not None:
            self.track(steps, of)

    def _diverged(self, what: str) -> TrainingError:
        return TrainingError(
            f"epoch {self.epoch + 1}: {what}; lower the learning rate (it was {self.lr:g})"
        )

    @property
    def modules(self) -> dict[str, nn.Module]:
        """What is trained, by name."""
        return {"encoder": self.encoder, "objective": self.objective}

    def _weights(self) -> dict[str, dict[str, Tensor]]:
        return {name: copy.deepcopy(each.state_dict()) for name, each in self.modules.items()}

    def named_parameters(self) -> dict[str, nn.Parameter]:
        """All trained parameters, under the names a fleet uses."""
        return {
            f"{part}.{stacked_name(name)}": parameter
            for part, module in self.modules.items()
            for name, parameter in module.named_parameters()
        }

    def restore_best(self) -> None:
        """Load the best weights."""
        self._load(self.best)

    def _load(self, weights: dict[str, dict[str, Tensor]]) -> None:
        for name, module in self.modules.items():
            module.load_state_dict(weights[name])

    def state_dict(self) -> dict[str, Any]:
        """Everything that changes during training."""
        return {
            "epoch": self.epoch,
            "weights": self._weights(),
            "best": self.best,
            "optimiser": self.optimiser.state_dict(),
            "sampler": self.sampler.state_dict(),
            "stopping": self.stopping.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from a `state_dict`."""
        self.epoch = fitted(int, state["epoch"])
        self.best = state["best"]
        self.restore_best()  # raises an error if they do not fit
        self._load(state["weights"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.sampler.load_state_dict(state["sampler"])
        self.stopping = build(EarlyStopping, state["stopping"])

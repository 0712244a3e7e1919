"""Training: epochs of patient-aware batches until the score gets no better (App. B)."""

import copy
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from pacl.models.network import Network
from pacl.models.precision import full_precision
from pacl.objectives import Objective, ObjectiveError
from pacl.objectives.stacked import stacked_name
from pacl.stored import build, fitted
from pacl.training.augmentation import Augmentation
from pacl.training.epoch_log import EpochLog, spread
from pacl.training.errors import TrainingError
from pacl.training.sampler import PatientSampler
from pacl.training.schedule import cosine, make_adamw
from pacl.training.stopping import EarlyStopping
from pacl.training.windows import LabelledWindows

Score = Callable[[Network], float]
"""How good an encoder is; higher is better. It sees the encoder in evaluation mode."""


Keep = Literal["best", "last"]
"""Which weights are kept: those with the best score, or the last, so that nothing is chosen."""


class Trainer:
    """An encoder, an objective and all that their training needs to go on from where it is.

    Parameters
    ----------
    encoder, objective
        What learns; both are moved to the device of the windows.
    windows
        The training windows, on a device.
    sampler
        Which of them make a batch.
    score
        Judges the encoder after each epoch, on windows of its own; none if the last is kept.
    generator
        Of dropout, on the device of the windows. Each epoch begins it anew, from its first seed.
    lr, weight_decay, lowest_lr
        Of AdamW, and where the cosine ends.
    epochs, patience
        At most so many, and how many without a better score end it.
    per_step
        Whether the rate falls with each step rather than with each epoch.
    keep
        Which weights are kept.
    respiratory_arrhythmia
        Share of the windows that get respiratory arrhythmia; see `apply_respiration`.
    faults
        Share of the windows that get a beat detector's faults; see `put_faults`.
    track
        Called with the steps done in this epoch and their total.

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
        sampler: PatientSampler,
        score: Score | None,
        *,
        generator: torch.Generator,
        lr: float = 6.8e-3,
        weight_decay: float = 8.8e-4,
        lowest_lr: float = 1e-6,
        epochs: int = 100,
        patience: int = 10,
        per_step: bool = False,
        keep: Keep = "best",
        respiratory_arrhythmia: float = 0.0,
        faults: float = 0.0,
        track: Callable[[int, int], None] | None = None,
    ) -> None:
        if (score is None) != (keep == "last"):
            raise TrainingError(
                f"keep is {keep!r} {'without' if score is None else 'with'} a score; "
                "the best weights need one, the last are not judged"
            )
        self.augmentation = Augmentation(respiratory_arrhythmia, faults)
        if self.augmentation and not windows.in_ms:
            shares = {"respiratory_arrhythmia": respiratory_arrhythmia, "faults": faults}
            keys = " and ".join(f"train.{key}" for key, share in shares.items() if share)
            raise TrainingError(
                f"{keys}: this augmentation needs windows in ms, these windows are scaled; "
                f"prepare them with --protocol all-beats, or set {keys} to 0"
            )
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
        """Whether the last epoch is over, or patience has run out."""
        return self.epoch >= self.epochs or self.stopping.exhausted

    def __iter__(self) -> Iterator[EpochLog]:
        """Train, an epoch at a time."""
        while not self.done:
            yield self.run_epoch()

    @full_precision()
    def run_epoch(self) -> EpochLog:
        """One epoch: every batch once, then the score."""
        began = time.perf_counter()
        self.encoder.train()
        self.objective.train()
        self.sampler.set_epoch(self.epoch)
        self.generator.manual_seed(self.dropout_seed())
        rows = torch.from_numpy(self.sampler.epoch_rows()).to(self.windows.device)
        precision = next(self.encoder.parameters()).dtype
        told = torch.zeros((), dtype=precision, device=self.windows.device)
        for step, chosen in enumerate(rows):
            for group in self.optimiser.param_groups:
                group["lr"] = self.rate(step, len(rows))
            told += self._step(chosen)
            if self.track is not None:
                self.track(step + 1, len(rows))
        loss = float(told / len(rows))
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
        """Count an epoch whose steps were taken, here or in a fleet, and say what came of it."""
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
        """Refuse to go on from a loss that is no number."""
        if not math.isfinite(loss):
            raise self._diverged(f"the loss is {loss}")

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step of this epoch."""
        within = step / steps if self.per_step else 0.0
        return cosine(self.lr, self.lowest_lr, (self.epoch + within) / self.epochs)

    def dropout_seed(self) -> int:
        """Of this epoch: whoever takes it, and however often, drops the same."""
        state = np.random.SeedSequence((self._dropout_seed, self.epoch)).generate_state(
            1, np.uint64
        )
        return int(state[0] >> np.uint64(1))

    def _step(self, rows: Tensor) -> Tensor:
        """One batch; gives its loss."""
        batch, beats = self.windows.take(rows), self.windows.tensors.window_beats
        x = batch.windows
        if self.augmentation:
            x = self.augmentation.put(
                x, self.augmentation.draw(len(rows), beats, self.generator, x.device)
            )
        masks = self.encoder.draw_masks(len(rows), beats, self.generator)
        out = self.encoder(x, masks)
        try:
            loss = self.objective(getattr(out, self.objective.reads), batch.labels, batch.patients)
        except ObjectiveError as error:
            if not bool(out.projected_raw.norm(dim=1).isfinite().all()):
                raise self._diverged("embeddings are not finite") from error
            raise
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        self.objective.after_step()
        done: Tensor = loss.detach()
        return done

    def _diverged(self, what: str) -> TrainingError:
        return TrainingError(
            f"epoch {self.epoch + 1}: {what}; lower the learning rate (it was {self.lr:g})"
        )

    def _weights(self) -> dict[str, dict[str, Tensor]]:
        modules = {"encoder": self.encoder, "objective": self.objective}
        return {name: copy.deepcopy(module.state_dict()) for name, module in modules.items()}

    def named_parameters(self) -> dict[str, nn.Parameter]:
        """All that is learned, under the names a fleet uses."""
        modules: dict[str, nn.Module] = {"encoder": self.encoder, "objective": self.objective}
        return {
            f"{prefix}.{stacked_name(name)}": parameter
            for prefix, module in modules.items()
            for name, parameter in module.named_parameters()
        }

    def best_parameters(self) -> dict[str, Tensor]:
        """The best weights so far, under the same names."""
        return {
            f"{prefix}.{stacked_name(name)}": value
            for prefix, weights in self.best.items()
            for name, value in weights.items()
        }

    @torch.no_grad()
    def load_parameters(
        self,
        weights: Mapping[str, Tensor],
        moments: Mapping[str, Mapping[str, Tensor]],
        best: Mapping[str, Tensor],
        steps: int,
    ) -> None:
        """Take over what a fleet has learned, as if it had been learned here."""
        for name, parameter in self.named_parameters().items():
            parameter.copy_(weights[name])
            if steps and parameter.requires_grad:
                self.optimiser.state[parameter] = {
                    "step": torch.tensor(float(steps)),
                    **{moment: values[name].clone() for moment, values in moments.items()},
                }
        self.best = {
            prefix: {
                name: best[f"{prefix}.{stacked_name(name)}"].clone() for name in self.best[prefix]
            }
            for prefix in self.best
        }

    def restore_best(self) -> None:
        """Put the best weights back."""
        self.encoder.load_state_dict(self.best["encoder"])
        self.objective.load_state_dict(self.best["objective"])

    def state_dict(self) -> dict[str, Any]:
        """All that changes while training."""
        return {
            "epoch": self.epoch,
            "weights": self._weights(),
            "best": self.best,
            "optimiser": self.optimiser.state_dict(),
            "sampler": self.sampler.state_dict(),
            "stopping": self.stopping.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        self.epoch = fitted(int, state["epoch"])
        self.best = state["best"]
        self.restore_best()  # refuses what does not fit
        self.encoder.load_state_dict(state["weights"]["encoder"])
        self.objective.load_state_dict(state["weights"]["objective"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.sampler.load_state_dict(state["sampler"])
        self.stopping = build(EarlyStopping, state["stopping"])

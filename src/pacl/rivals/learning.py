"""What systems that learn step by step share: streams of chance, settings, a training."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from pacl.models.network import Network
from pacl.objectives import Objective
from pacl.rivals.batches import batches_of
from pacl.rivals.system import AUGMENTATION, Learn, Settings
from pacl.training import LabelledWindows, Trainer, TrainingError

LOWEST_LR = 1e-6


@dataclass(frozen=True, slots=True)
class Chance:
    """The three sources of chance in a training, each with a stream of its own."""

    weights: int
    batches: int
    dropout: int

    @classmethod
    def of(cls, seed: int, stage: int = 0) -> "Chance":
        """Streams that all follow from one seed; those of a later stage are others."""
        seeds = np.random.SeedSequence(seed, spawn_key=(stage,) if stage else ())
        state = seeds.generate_state(3, np.uint64)
        return cls(*(int(value >> np.uint64(1)) for value in state))

    def of_weights(self) -> torch.Generator:
        """Where first weights are drawn from."""
        return torch.Generator().manual_seed(self.weights)


def numbers(settings: Settings, defaults: Mapping[str, float]) -> dict[str, float]:
    """Settings as numbers, those that are not given by default; refuses others."""
    wrong = [
        f"{name} = {value!r}"
        for name, value in settings.items()
        if name not in defaults or not isinstance(value, int | float)
    ]
    if wrong:
        raise TrainingError(
            f"settings {', '.join(wrong)}; expected numbers for any of {', '.join(defaults)}"
        )
    return {**defaults, **{name: float(value) for name, value in settings.items()}}


def train(
    network: Network,
    objective: Objective,
    learn: Learn,
    chance: Chance,
    *,
    lr: float,
    weight_decay: float,
) -> list[float]:
    """Train for about `learn.steps` steps, in whole epochs and at least one; the last is kept.

    Gives the loss of each epoch.
    """
    if not learn.windows.in_ms:
        raise TrainingError(
            "windows are scaled, the network wants them in ms; prepare them with --protocol every"
        )
    sampler = batches_of(learn.windows, np.random.default_rng(chance.batches))
    trainer = Trainer(
        network,
        objective,
        LabelledWindows.of(learn.windows, learn.device),
        sampler,
        None,
        generator=torch.Generator(learn.device).manual_seed(chance.dropout),
        lr=lr,
        weight_decay=weight_decay,
        lowest_lr=LOWEST_LR,
        epochs=max(1, round(learn.steps / len(sampler))),
        per_step=True,
        keep="last",
        breath=AUGMENTATION.breath,
        faults=AUGMENTATION.faults,
    )
    losses = [log.loss for log in trainer]
    network.eval()
    return losses

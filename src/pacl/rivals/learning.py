"""Settings and training of the supervised networks."""

from collections.abc import Mapping

import numpy as np
import torch

from pacl.models import Network
from pacl.objectives import Objective
from pacl.rivals.batches import batches_of
from pacl.rivals.system import AUGMENTATION, LOWEST_LR, Learn, Settings
from pacl.training import LabelledWindows, Seeds, Trainer, TrainingError


def numbers(settings: Settings, defaults: Mapping[str, float]) -> dict[str, float]:
    """Settings as numbers, with defaults; unknown settings are an error."""
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
    seeds: Seeds,
    *,
    lr: float,
    weight_decay: float,
) -> list[float]:
    """Train for about `learn.steps` steps, in full epochs; the last weights are kept.

    Returns the loss of each epoch.
    """
    if not learn.windows.in_ms:
        raise TrainingError(
            "windows are scaled, the network needs ms; prepare them with --protocol all-beats"
        )
    sampler = batches_of(learn.windows, np.random.default_rng(seeds.batches))
    trainer = Trainer(
        network,
        objective,
        LabelledWindows.of(learn.windows, learn.device),
        sampler,
        None,
        generator=torch.Generator(learn.device).manual_seed(seeds.dropout),
        lr=lr,
        weight_decay=weight_decay,
        lowest_lr=LOWEST_LR,
        epochs=max(1, round(learn.steps / len(sampler))),
        per_step=True,
        keep="last",
        augmentation=AUGMENTATION,
    )
    losses = [log.loss for log in trainer]
    network.eval()
    return losses

"""The model and the trainer of a plan, for windows of any signal."""

from dataclasses import asdict

import numpy as np
import torch

from pacl.models import Network, make_encoder
from pacl.objectives import Objective, make_objective
from pacl.settings import AUGMENTATIONS, Plan, SamplerSettings, TrainSettings
from pacl.training.augmentation import Augmentation
from pacl.training.loop import Seeds
from pacl.training.sampler import SubjectSampler
from pacl.training.trainer import Score, Trainer
from pacl.training.windows import LabelledWindows
from pacl.windows import Windows


def planned_model(plan: Plan, in_channels: int = 1, classes: int = 2) -> tuple[Network, Objective]:
    """The encoder and the objective before the first step."""
    generator = Seeds.of(plan.seed).of_weights()
    encoder = make_encoder(plan.encoder, in_channels=in_channels, generator=generator)
    objective = make_objective(
        plan.loss,
        plan.objective,
        features=encoder.config["projected_features"],
        pooled_features=encoder.config["pooled_features"],
        classes=classes,
        generator=generator,
    )
    return encoder, objective


def planned_trainer(
    plan: Plan, train: Windows, on_device: LabelledWindows, score: Score | None
) -> Trainer:
    """The trainer of a plan.

    Parameters
    ----------
    train, on_device
        Training windows, and the same on a device.
    score
        Chooses the weights, if the plan keeps the best.
    """
    augmentation = AUGMENTATIONS.named(AUGMENTATIONS.name_of(plan.augmentation))
    model = planned_model(plan, on_device.tensors.channels, len(train.class_names))
    return assembled_trainer(
        model,
        train,
        on_device,
        score,
        seed=plan.seed,
        sampler=plan.sampler,
        settings=plan.train,
        augmentation=augmentation.make(plan.augmentation),
    )


def assembled_trainer(
    model: tuple[Network, Objective],
    train: Windows,
    on_device: LabelledWindows,
    score: Score | None,
    *,
    seed: int,
    sampler: SamplerSettings,
    settings: TrainSettings,
    augmentation: Augmentation | None,
) -> Trainer:
    """The trainer of an encoder and an objective, with batches and dropout as the seed has them."""
    seeds = Seeds.of(seed)
    return Trainer(
        *model,
        on_device,
        SubjectSampler.of(
            train,
            generator=np.random.default_rng(seeds.batches),
            subjects_per_batch=sampler.subjects,
            windows_per_class=sampler.windows,
            one_class=sampler.one_class,
            most_turns=sampler.turns,
        ),
        score if settings.keep == "best" else None,
        generator=torch.Generator(on_device.device).manual_seed(seeds.dropout),
        augmentation=augmentation,
        **{key: value for key, value in asdict(settings).items() if key != "score_windows"},
    )

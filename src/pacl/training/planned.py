"""The model and the trainer of a plan, for windows of any signal."""

from dataclasses import asdict

import numpy as np
import torch

from pacl.models import Network, make_encoder
from pacl.objectives import Objective, make_objective
from pacl.settings import AUGMENTATIONS, Plan
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
    seeds = Seeds.of(plan.seed)
    augmentation = AUGMENTATIONS.named(AUGMENTATIONS.name_of(plan.augmentation))
    encoder, objective = planned_model(plan, on_device.tensors.channels, len(train.class_names))
    return Trainer(
        encoder,
        objective,
        on_device,
        SubjectSampler.of(
            train,
            generator=np.random.default_rng(seeds.batches),
            subjects_per_batch=plan.sampler.subjects,
            windows_per_class=plan.sampler.windows,
            one_class=plan.sampler.one_class,
            most_turns=plan.sampler.turns,
        ),
        score if plan.train.keep == "best" else None,
        generator=torch.Generator(on_device.device).manual_seed(seeds.dropout),
        augmentation=augmentation.make(plan.augmentation),
        **asdict(plan.train),
    )

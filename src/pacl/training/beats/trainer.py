"""Learning the label of every beat by cross-entropy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from pacl.models.per_beat import PerBeatNetwork
from pacl.training.beats.crops import UNKNOWN, Augmentation, Crops
from pacl.training.beats.line import BeatLine
from pacl.training.beats.sampler import BeatSampler
from pacl.training.errors import TrainingError

PLAUSIBLE_MS = (150.0, 4000.0)
"""Intervals are brought within these before anything is done to them."""


@dataclass(frozen=True, slots=True)
class BeatTraining:
    """How a network learns.

    Parameters
    ----------
    steps
        Batches in all; the learning rate rises and falls once over them.
    subjects, crops
        Subjects in a batch, and crops of each.
    beats
        Beats of a crop that are learned from; the network looks at more on either side.
    learning_rate, weight_decay
        Of AdamW.
    averaged
        How slowly the weights that are kept follow those that learn, from 0 to 1.
    """

    steps: int = 2000
    subjects: int = 24
    crops: int = 4
    beats: int = 512
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    averaged: float = 0.995


def train_beats(
    network: PerBeatNetwork,
    line: BeatLine,
    sampler: BeatSampler,
    augmentations: Sequence[Augmentation],
    training: BeatTraining,
    generator: torch.Generator,
    *,
    told: Callable[[int, float], None] | None = None,
) -> None:
    """Train a network in place; it ends with the averaged weights, ready to be used.

    `told` hears of every step: its number, and the loss.
    """
    device = line.rr_ms.device
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=training.learning_rate, weight_decay=training.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, training.learning_rate, total_steps=training.steps, pct_start=0.15
    )
    kept = {name: value.detach().clone() for name, value in network.state_dict().items()}
    network.train()
    for step in range(training.steps):
        crops = _draw(line, sampler, training, network, generator)
        for augmentation in augmentations:
            crops = augmentation(crops, generator)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = network(crops.rr_ms, crops.present)
        loss = beat_loss(logits.float(), crops, network.behind)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        _follow(kept, network, min(training.averaged, (step + 1) / (step + 10)))
        if told is not None:
            told(step, float(loss.detach()))
    network.load_state_dict(kept)
    network.eval()


def beat_loss(logits: torch.Tensor, crops: Crops, behind: int) -> torch.Tensor:
    """Cross-entropy over the beats that are there and whose label is known.

    The first logit is of the beat after the first `behind`.
    """
    inner = slice(behind, behind + logits.shape[1])
    label = crops.label[:, inner]
    known = crops.present[:, inner] & (label != UNKNOWN)
    if not known.any():
        raise TrainingError("a batch without any labelled beat; draw more crops")
    losses = binary_cross_entropy_with_logits(logits, (label == 1).float(), reduction="none")
    return (losses * known).sum() / known.sum()


def _draw(
    line: BeatLine,
    sampler: BeatSampler,
    training: BeatTraining,
    network: PerBeatNetwork,
    generator: torch.Generator,
) -> Crops:
    """Crops that hold the places drawn somewhere among the beats that are learned from."""
    _, places = sampler.draw(training.subjects, training.crops, generator)
    drawn = torch.rand(places.numel(), generator=generator, device=places.device)
    first = places - (drawn * training.beats).long() - network.behind
    crops = line.crops(first, training.beats + network.behind + network.ahead)
    return Crops(crops.rr_ms.clamp(*PLAUSIBLE_MS), crops.present, crops.label)


@torch.no_grad()
def _follow(kept: dict[str, torch.Tensor], network: PerBeatNetwork, slowly: float) -> None:
    now = network.state_dict()
    for name, value in kept.items():
        if value.is_floating_point():
            value.lerp_(now[name], 1.0 - slowly)
        else:
            value.copy_(now[name])

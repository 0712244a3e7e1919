"""Training of a per-beat network with cross-entropy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from pacl.af.beats.crops import UNKNOWN, Augmentation, Crops
from pacl.af.beats.line import BeatLine
from pacl.af.beats.sampler import BeatSampler, draw_crops
from pacl.af.networks import PerBeatNetwork
from pacl.training import TrainingError, take_steps


@dataclass(frozen=True, slots=True)
class BeatTraining:
    """Settings of a training."""

    steps: int = 2000
    """Number of batches; the learning rate rises and falls once over them."""
    subjects: int = 24
    """In a batch."""
    crops: int = 4
    """Of each subject."""
    beats: int = 512
    """Beats of a crop with a loss; the network sees more on both sides."""
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    averaged: float = 0.995
    """Decay of the exponential moving average of the weights."""


def train_beats(
    network: PerBeatNetwork,
    line: BeatLine,
    sampler: BeatSampler,
    augmentations: Sequence[Augmentation],
    training: BeatTraining,
    generator: torch.Generator,
    *,
    after_step: Callable[[int, float], None] | None = None,
) -> None:
    """Train a network in place; it ends with the averaged weights, in evaluation mode.

    `after_step` is called after each step with its number and its loss.
    """
    device = line.rr_ms.device
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=training.learning_rate, weight_decay=training.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, training.learning_rate, total_steps=training.steps, pct_start=0.15
    )
    kept = {name: value.detach().clone() for name, value in network.state_dict().items()}

    def loss_of(crops: Crops) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = network(crops.rr_ms, crops.present)
        return beat_loss(logits.float(), crops, network.behind)

    def average(step: int, loss: Tensor) -> None:
        schedule.step()
        _follow(kept, network, min(training.averaged, (step + 1) / (step + 10)))
        if after_step is not None:
            after_step(step, float(loss))

    network.train()
    batches = (
        draw_crops(
            line,
            sampler,
            augmentations,
            generator,
            subjects=training.subjects,
            crops=training.crops,
            beats=training.beats,
            behind=network.behind,
            ahead=network.ahead,
        )
        for _ in range(training.steps)
    )
    take_steps(optimiser, batches, loss_of, largest_norm=1.0, after_step=average)
    network.load_state_dict(kept)
    network.eval()


def beat_loss(logits: Tensor, crops: Crops, behind: int) -> Tensor:
    """Cross-entropy over the beats that are present and have a known label.

    The first logit belongs to the beat after the first `behind` beats.
    """
    inner = slice(behind, behind + logits.shape[1])
    label = crops.label[:, inner]
    known = crops.present[:, inner] & (label != UNKNOWN)
    if not known.any():
        raise TrainingError("a batch without any labelled beat; draw more crops")
    losses = binary_cross_entropy_with_logits(logits, (label == 1).float(), reduction="none")
    return (losses * known).sum() / known.sum()


@torch.no_grad()
def _follow(kept: dict[str, Tensor], network: PerBeatNetwork, slowly: float) -> None:
    now = network.state_dict()
    for name, value in kept.items():
        if value.is_floating_point():
            value.lerp_(now[name], 1.0 - slowly)
        else:
            value.copy_(now[name])

"""Learning without labels: one loop for all that do, which is never given a label.

```
rows of all steps --> windows in ms --> views --> encoder --> loss --> AdamW --> after_step
   (method)             (device)       (method)             (method)             (method)
```
"""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pacl.axes import Array, Float, Int, Int64
from pacl.models import Encoder
from pacl.models.network import EncoderOutput, Network
from pacl.models.precision import full_precision
from pacl.rivals.system import AUGMENTATION, BATCH, LOWEST_LR, Learn, Probed, Settings
from pacl.rivals.views import two_views
from pacl.training.errors import TrainingError
from pacl.training.schedule import cosine, make_adamw
from pacl.training.seeds import Seeds
from pacl.windows.tensors import WindowTensors

WEIGHT_DECAY = 1e-3

TEMPERED: tuple[Settings, ...] = (
    {"lr": 1e-3, "temperature": 0.1},
    {"lr": 3e-4, "temperature": 0.1},
    {"lr": 3e-3, "temperature": 0.1},
    {"lr": 1e-3, "temperature": 0.5},
)
"""What systems with a temperature, and nothing else of their own, are tuned over."""


class Method(nn.Module):
    """What a way to learn without labels adds to the loop; its parameters learn too."""

    @abstractmethod
    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """Which windows make each batch."""

    def views(
        self, rr_ms: Float[Tensor, "window beat"], generator: torch.Generator
    ) -> Float[Tensor, "view beat"]:
        """What the encoder sees of a batch in ms: each window once, unless a method says else."""
        windows, beats = rr_ms.shape
        drawn = AUGMENTATION.draw(windows, beats, generator, rr_ms.device)
        return AUGMENTATION.put(rr_ms, drawn)

    @abstractmethod
    def loss(
        self,
        embedded: EncoderOutput,
        views: Float[Tensor, "view beat"],
        patients: Int[Tensor, "window"],
    ) -> Float[Tensor, ""]:
        """The loss of a batch: what the encoder made of the views, and whose windows they are."""

    def after_step(self, encoder: Network) -> None:
        """Called when the optimiser has moved the weights."""


class TwoViews(Method):
    """Windows at random, whoever's they are, and two views of each.

    Parameters
    ----------
    windows
        How many there are.
    """

    def __init__(self, windows: int) -> None:
        super().__init__()
        self.windows = windows

    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """Half as many windows as a batch has views."""
        return shuffled_rows(self.windows, BATCH // 2, steps, generator)

    def views(
        self, rr_ms: Float[Tensor, "window beat"], generator: torch.Generator
    ) -> Float[Tensor, "view beat"]:
        """The first of every window, then the second."""
        return two_views(rr_ms, generator)


@full_precision()
def pretrain(
    encoder: Network,
    method: Method,
    windows: WindowTensors,
    patients: Int[Tensor, "window"],
    *,
    steps: int,
    lr: float,
    batches: np.random.Generator,
    chance: torch.Generator,
) -> None:
    """Train in place, with AdamW along a cosine that falls with each step.

    Parameters
    ----------
    encoder, method
        What learns, on the device of the windows.
    windows, patients
        What from, on a device, in ms; of labels there are none.
    steps, lr
        How many batches, and the first learning rate.
    batches, chance
        Where batches are drawn from; and views and dropout, on the device.
    """
    # All rows go to the device at once and nothing comes back before the last step.
    rows = torch.from_numpy(method.rows(steps, batches)).to(patients.device)
    optimiser = make_adamw(encoder, method, lr=lr, weight_decay=WEIGHT_DECAY)
    encoder.train()
    method.train()
    told = torch.zeros((), device=patients.device)
    for step, chosen in enumerate(rows):
        for group in optimiser.param_groups:
            group["lr"] = cosine(lr, LOWEST_LR, step / steps)
        views = method.views(windows.take(chosen), chance)
        masks = encoder.draw_masks(len(views), windows.window_beats, chance)
        loss = method.loss(encoder(views, masks), views, patients[chosen])
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        method.after_step(encoder)
        told += loss.detach()
    encoder.eval()
    if not math.isfinite(mean := float(told) / max(steps, 1)):
        raise TrainingError(f"the loss is {mean}; lower the learning rate (it was {lr:g})")


@dataclass(frozen=True, eq=False, slots=True)
class Start:
    """An encoder before its first step, and the chance that all else is drawn from.

    Streams follow from the seed as those of a run do: of weights, batches and dropout.
    """

    encoder: Encoder
    weights: torch.Generator
    batches: np.random.Generator
    chance: torch.Generator

    @classmethod
    def of(cls, learn: Learn) -> "Start":
        """With windows that are in ms, as the encoder wants them."""
        if not learn.windows.in_ms:
            raise TrainingError(
                "windows are scaled, the encoder wants them in ms; "
                "prepare them with --protocol all-beats"
            )
        seeds = Seeds.of(learn.seed)
        generator = seeds.of_weights()
        return cls(
            Encoder(view="relative", generator=generator),
            generator,
            np.random.default_rng(seeds.batches),
            torch.Generator(learn.device).manual_seed(seeds.dropout),
        )

    def learned(self, learn: Learn, method: Method, lr: float) -> Probed:
        """Train without labels, then fit a probe with them."""
        codes = torch.tensor(learn.windows.table.patient.codes, dtype=torch.int64)
        pretrain(
            self.encoder.to(learn.device),
            method.to(learn.device),
            WindowTensors.of(learn.windows, learn.device),
            codes.to(learn.device),
            steps=learn.steps,
            lr=lr,
            batches=self.batches,
            chance=self.chance,
        )
        return Probed.on(self.encoder, learn.windows, learn.device)


def shuffled_rows(
    windows: int, batch: int, steps: int, generator: np.random.Generator
) -> Int64[Array, "step window"]:
    """Batches in which no window is twice, and none comes again before almost all have come.

    What is left of a shuffle after its last full batch is not used.
    """
    batch = min(batch, windows)
    each = windows // batch
    shuffles = [generator.permutation(windows)[: each * batch] for _ in range(-(-steps // each))]
    return np.concatenate(shuffles).reshape(-1, batch)[:steps]

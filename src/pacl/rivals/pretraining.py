"""Self-supervised training, for all methods without labels.

```
rows of all steps --> windows in ms --> views --> encoder --> loss --> AdamW --> after_step
   (method)             (device)       (method)             (method)             (method)
```
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pacl.axes import Array, Float, Int, Int64
from pacl.models import Encoder, EncoderOutput, Network, full_precision
from pacl.rivals.system import AUGMENTATION, BATCH, LOWEST_LR, Kind, Learn, Probed, Settings
from pacl.rivals.views import two_views
from pacl.rr import RRWindowTensors
from pacl.training import Seeds, TrainingError, cosine, make_adamw, take_steps

WEIGHT_DECAY = 1e-3

TEMPERED: tuple[Settings, ...] = (
    {"lr": 1e-3, "temperature": 0.1},
    {"lr": 3e-4, "temperature": 0.1},
    {"lr": 3e-3, "temperature": 0.1},
    {"lr": 1e-3, "temperature": 0.5},
)
"""Trials of systems with a temperature."""

Views = Float[Tensor, "view beat"]
Codes = Int[Tensor, "window"]
"""The patient of each window."""
Loss = Float[Tensor, ""]


class Method(nn.Module):
    """A self-supervised method; its own parameters are trained too."""

    @abstractmethod
    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """The windows of each batch."""

    def views(self, rr_ms: Float[Tensor, "window beat"], generator: torch.Generator) -> Views:
        """Views of a batch in ms: by default each window once, augmented."""
        windows, beats = rr_ms.shape
        drawn = AUGMENTATION.draw(windows, beats, generator, rr_ms.device)
        return AUGMENTATION.put(rr_ms, drawn)

    @abstractmethod
    def loss(self, embedded: EncoderOutput, views: Views, patients: Codes) -> Loss:
        """The loss of a batch, from embeddings, views and patients."""

    def after_step(self, encoder: Network) -> None:
        """Called after each step of the optimiser."""


class TwoViews(Method):
    """Random windows of any patient, of `windows` windows, and two views of each."""

    def __init__(self, windows: int) -> None:
        super().__init__()
        self.windows = windows

    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """Half as many windows as a batch has views."""
        return shuffled_rows(self.windows, BATCH // 2, steps, generator)

    def views(self, rr_ms: Float[Tensor, "window beat"], generator: torch.Generator) -> Views:
        """The first views of all windows, then the second views."""
        return two_views(rr_ms, generator)


@full_precision()
def pretrain(
    encoder: Network,
    method: Method,
    windows: RRWindowTensors,
    patients: Codes,
    *,
    steps: int,
    lr: float,
    batches: np.random.Generator,
    chance: torch.Generator,
) -> None:
    """Train encoder and method in place, with AdamW along a cosine that falls with each step.

    Modules, windows (in ms) and patients are on one device, and so is `chance`, the generator of
    views and dropout.
    """
    # All rows are copied to the device at once; it never waits for the host.
    rows = torch.from_numpy(method.rows(steps, batches)).to(patients.device)
    optimiser = make_adamw(encoder, method, lr=lr, weight_decay=WEIGHT_DECAY)
    encoder.train()
    method.train()

    def loss_of(chosen: Tensor) -> Tensor:
        views = method.views(windows.take(chosen), chance)
        masks = encoder.draw_masks(len(views), windows.window_beats, chance)
        return method.loss(encoder(views, masks), views, patients[chosen])

    total = take_steps(
        optimiser,
        rows,
        loss_of,
        rate=lambda step: cosine(lr, LOWEST_LR, step / steps),
        after_step=lambda step, loss: method.after_step(encoder),
    )
    encoder.eval()
    if not math.isfinite(mean := float(total) / max(steps, 1)):
        raise TrainingError(f"the loss is {mean}; lower the learning rate (it was {lr:g})")


@dataclass(frozen=True, eq=False, slots=True)
class Start:
    """An untrained encoder, and generators for weights, batches and dropout.

    They follow from the seed in the same way as those of a run.
    """

    encoder: Encoder
    weights: torch.Generator
    batches: np.random.Generator
    chance: torch.Generator

    @classmethod
    def of(cls, learn: Learn) -> "Start":
        """Make an encoder; windows must be in ms."""
        if not learn.windows.in_ms:
            raise TrainingError(
                "windows are scaled, the encoder needs ms; prepare them with --protocol all-beats"
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
            RRWindowTensors.of(learn.windows, learn.device),
            codes.to(learn.device),
            steps=learn.steps,
            lr=lr,
            batches=self.batches,
            chance=self.chance,
        )
        return Probed.on(self.encoder, learn.windows, learn.device)


@dataclass(eq=False, slots=True)
class SelfSupervised:
    """A system whose encoder is trained without labels and then probed.

    `make` makes the method from the untrained encoder, the training data and the settings.
    """

    name: str
    title: str
    make: Callable[[Start, Learn, dict[str, float]], Method]
    trials: tuple[Settings, ...] = TEMPERED
    kind: Kind = "self-supervised"

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Train without labels, then fit a probe with them."""
        start = Start.of(learn)
        chosen = {name: float(value) for name, value in settings.items()}
        return start.learned(learn, self.make(start, learn, chosen), chosen["lr"])


def shuffled_rows(
    windows: int, batch: int, steps: int, generator: np.random.Generator
) -> Int64[Array, "step window"]:
    """Batches of shuffled windows without repeats, one shuffle after the other.

    The rest of a shuffle after its last full batch is not used.
    """
    batch = min(batch, windows)
    each = windows // batch
    shuffles = [generator.permutation(windows)[: each * batch] for _ in range(-(-steps // each))]
    return np.concatenate(shuffles).reshape(-1, batch)[:steps]

"""Interfaces of the networks, and what they share: input views, initial weights, precision."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.models.dropout import Masks, random_bits, split_masks
from pacl.settings import Place, View

NORM_EPS = 1e-5
"""As in `torch.nn.GroupNorm`."""

GAIN = 8.0
"""A sample 13 % above the mean becomes about 1, where asinh starts to compress."""

SHORTEST = 1.0
"""Smaller samples are set to this, as 0 has no logarithm."""


class EncoderOutput(NamedTuple):
    """Embeddings of windows: z-hat and e-hat of unit length, and z and e before that."""

    pooled: Float[Tensor, "window feature"]
    projected: Float[Tensor, "window feature"]
    pooled_raw: Float[Tensor, "window feature"]
    projected_raw: Float[Tensor, "window feature"]


class Network(nn.Module):
    """From windows of a signal to embeddings on the unit sphere.

    Attributes
    ----------
    config
        The arguments of the constructor, as plain values; with `view`, `pooled_features` and
        `projected_features`.
    """

    config: dict[str, Any]

    @abstractmethod
    def forward(
        self,
        x: Float[Tensor, "window time"] | Float[Tensor, "window channel time"],
        masks: Masks | None = None,
    ) -> EncoderOutput:
        """Embed windows.

        Without dropout `masks`, masks are drawn from torch's own generator in training mode; in
        evaluation mode there is no dropout.
        """

    @abstractmethod
    def mask_shapes(self, windows: int, samples: int) -> dict[Place, tuple[int, ...]]:
        """The shape of each dropout mask of a batch; none without dropout."""

    def draw_masks(
        self, windows: int, samples: int, generator: torch.Generator | None = None
    ) -> Masks:
        """Dropout masks for a batch, on the device of the weights."""
        weight = next(self.parameters())
        shapes = self.mask_shapes(windows, samples)
        count = sum(math.prod(shape) for shape in shapes.values())
        bits = random_bits(count, generator, weight.device)
        return split_masks(bits, shapes, self.config["dropout"], weight.dtype)


def seen(
    view: View, x: Float[Tensor, "*window_and_channel time"]
) -> Float[Tensor, "*window_and_channel time"]:
    """The input of the first layer.

    `relative` takes the logarithm of each sample over the mean of its window: independent of the
    level, but not of how much samples differ. It and `bent` compress large values, such as a
    single outlier, by asinh.
    """
    if view == "given":
        return x
    if view == "bent":
        return torch.asinh(x)
    above = x.clamp_min(SHORTEST)
    return torch.asinh(GAIN * torch.log(above / above.mean(dim=-1, keepdim=True)))


@torch.no_grad()
def draw_weights(network: nn.Module, generator: torch.Generator | None) -> None:
    """Draw initial weights as torch does by default, but from the given generator.

    Uniform within 1 / sqrt(fan in); for an LSTM within 1 / sqrt(units).
    """
    for layer in network.modules():
        if isinstance(layer, nn.LSTM):
            bound = layer.hidden_size**-0.5
        elif isinstance(layer, nn.Conv1d | nn.Linear):
            bound = layer.weight[0].numel() ** -0.5
        else:
            continue
        for parameter in layer.parameters():
            parameter.uniform_(-bound, bound, generator=generator)


@contextmanager
def full_precision() -> Iterator[None]:
    """Compute convolutions on a GPU in single precision; by default torch rounds to 11 bits."""
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        torch.backends.cudnn.allow_tf32 = before

"""An encoder as plain arrays: what leads to z, its batch normalisation multiplied in.

In evaluation a batch norm scales and shifts each channel by constants, which a convolution before
it can do as well. The projection head is for training alone and is left out.
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

from pacl.axes import Array, Float32, Float64
from pacl.export.errors import ExportError
from pacl.models import Encoder


@dataclass(frozen=True, eq=False, slots=True)
class Plain:
    """A convolution, or a matrix: one of a single tap."""

    weight: Float32[Array, "output input tap"]
    bias: Float32[Array, "output"]


@dataclass(frozen=True, eq=False, slots=True)
class Folded:
    """What is left of an encoder.

    Parameters
    ----------
    branches
        Convolutions of stride 2, each followed by a ReLU, one after the other.
    mix
        From the last columns of all branches, one below the other; followed by a ReLU.
    score
        What attention multiplies a mixed column with. Its bias is the same for all columns, so
        that a softmax over them does not see it.
    to_pooled
        From the attended mean to z; None where that is z.
    """

    branches: tuple[tuple[Plain, ...], ...]
    mix: Plain
    score: Float32[Array, "channel"]
    to_pooled: Plain | None

    @property
    def layers(self) -> tuple[Plain, ...]:
        """All of them, in the order in which they are used."""
        last = () if self.to_pooled is None else (self.to_pooled,)
        return (*(layer for branch in self.branches for layer in branch), self.mix, *last)


def fold(encoder: Encoder) -> Folded:
    """Take an encoder apart; multiplied in double precision, then rounded to single.

    Examples
    --------
    >>> folded = fold(Encoder(norm="batch", view="relative"))
    >>> [layer.weight.shape for layer in folded.branches[0]]
    [(16, 1, 3), (32, 16, 3), (64, 32, 3)]
    """
    _check(encoder)
    branches = []
    for branch in encoder.branches:
        steps = list(branch.children())  # convolution, norm, ReLU; and again
        branches.append(tuple(map(_plain, steps[::3], steps[1::3])))
    linear = isinstance(encoder.to_pooled, nn.Linear)
    folded = Folded(
        branches=tuple(branches),
        mix=_plain(encoder.mix[0], encoder.mix[1]),
        score=_exact(encoder.attention.score.weight)[0, :, 0].astype(np.float32),
        to_pooled=_plain(encoder.to_pooled, nn.Identity()) if linear else None,
    )
    arrays = [folded.score, *(a for one in folded.layers for a in (one.weight, one.bias))]
    if not all(np.isfinite(one).all() for one in arrays):
        raise ExportError(
            "the encoder has weights or statistics that are no numbers in single precision; "
            "it has diverged, train it again"
        )
    return folded


def _plain(layer: nn.Module, norm: nn.Module) -> Plain:
    """A convolution or linear layer with the norm that follows it."""
    weight, bias = _exact(layer.weight), _exact(layer.bias)
    weight = weight.reshape(*weight.shape[:2], -1)  # a linear layer has one tap
    if isinstance(norm, nn.BatchNorm1d):
        spread = np.sqrt(_exact(norm.running_var) + norm.eps)
        factor = _exact(norm.weight) / spread
        weight = factor[:, None, None] * weight
        bias = factor * (bias - _exact(norm.running_mean)) + _exact(norm.bias)
    with np.errstate(over="ignore"):  # what is too large is refused by whoever asked
        return Plain(weight.astype(np.float32), bias.astype(np.float32))


def _exact(tensor: object) -> Float64[Array, "..."]:
    if not isinstance(tensor, Tensor):
        raise ExportError(
            "a layer of the encoder has no weight, bias or statistics; give an encoder as "
            "pacl train makes them"
        )
    return tensor.detach().cpu().double().numpy()


def _check(encoder: Encoder) -> None:
    config = encoder.config
    if config["norm"] == "group":
        raise ExportError(
            "the encoder's group norm depends on each window and cannot be multiplied into its "
            "convolutions; train with --encoder.norm batch"
        )
    if config["view"] != "relative":
        raise ExportError(
            f"the encoder's view is {config['view']}: it takes windows that were scaled, a device "
            "has intervals in ms; train with --encoder.view relative"
        )
    if config["in_channels"] != 1:
        raise ExportError(
            f"the encoder reads {config['in_channels']} channels, a device has RR intervals "
            "alone; use an encoder with in_channels = 1"
        )

"""A layer as plain arrays, with the batch normalisation that follows it multiplied in.

In evaluation a batch norm scales and shifts each channel by constants, which the convolution before
it can include.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

from pacl.axes import Array, Float32, Float64
from pacl.export.errors import ExportError


@dataclass(frozen=True, eq=False, slots=True)
class Plain:
    """A convolution, or a matrix: one of a single tap."""

    weight: Float32[Array, "output input tap"]
    bias: Float32[Array, "output"]


def plain(layer: nn.Module, norm: nn.Module | None = None) -> Plain:
    """A convolution or linear layer; multiplied in double precision, then rounded to single."""
    weight = exact(layer.weight)
    weight = weight.reshape(*weight.shape[:2], -1)  # a linear layer has one tap
    given: object = layer.bias
    bias = np.zeros(len(weight)) if given is None else exact(given)
    if isinstance(norm, nn.BatchNorm1d):
        spread = np.sqrt(exact(norm.running_var) + norm.eps)
        factor = exact(norm.weight) / spread
        weight = factor[:, None, None] * weight
        bias = factor * (bias - exact(norm.running_mean)) + exact(norm.bias)
    with np.errstate(over="ignore"):  # `check_finite` refuses overflow
        return Plain(weight.astype(np.float32), bias.astype(np.float32))


def exact(tensor: object) -> Float64[Array, "..."]:
    """A tensor of a layer in double precision."""
    if not isinstance(tensor, Tensor):
        raise ExportError(
            "a layer of the network has no weight or statistics; give a network as pacl makes them"
        )
    return tensor.detach().cpu().double().numpy()


def check_finite(what: str, arrays: Iterable[Array]) -> None:
    """Refuse a network with numbers that single precision does not have."""
    if not all(np.isfinite(one).all() for one in arrays):
        raise ExportError(
            f"the {what} has weights or statistics that are no numbers in single precision; "
            "it has diverged, train it again"
        )

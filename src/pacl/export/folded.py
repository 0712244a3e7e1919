"""An encoder as plain arrays up to z, with its batch normalisation multiplied in.

The projection head is only used in training and is left out.
"""

from dataclasses import dataclass

import numpy as np
from torch import nn

from pacl.axes import Array, Float32
from pacl.export.errors import ExportError
from pacl.export.plain import Plain, check_finite, exact, plain
from pacl.models import Encoder


@dataclass(frozen=True, eq=False, slots=True)
class Folded:
    """The layers of an encoder up to z."""

    branches: tuple[tuple[Plain, ...], ...]
    """Convolutions of stride 2, each followed by a ReLU, one after the other."""
    mix: Plain
    """From the last columns of all branches, one below the other; followed by a ReLU."""
    score: Float32[Array, "channel"]
    """Weights of the attention score. Its bias is equal for all columns and cancels in the
    softmax."""
    to_pooled: Plain | None
    """From the attended mean to z; None where that is z."""

    @property
    def layers(self) -> tuple[Plain, ...]:
        """All of them, in the order in which they are used."""
        last = () if self.to_pooled is None else (self.to_pooled,)
        return (*(layer for branch in self.branches for layer in branch), self.mix, *last)


def fold(encoder: Encoder) -> Folded:
    """Fold an encoder in double precision, then round to single.

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
        branches.append(tuple(map(plain, steps[::3], steps[1::3])))
    linear = isinstance(encoder.to_pooled, nn.Linear)
    folded = Folded(
        branches=tuple(branches),
        mix=plain(encoder.mix[0], encoder.mix[1]),
        score=exact(encoder.attention.score.weight)[0, :, 0].astype(np.float32),
        to_pooled=plain(encoder.to_pooled) if linear else None,
    )
    arrays = [folded.score, *(a for one in folded.layers for a in (one.weight, one.bias))]
    check_finite("encoder", arrays)
    return folded


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

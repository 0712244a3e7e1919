"""What a network is that windows go through: embeddings out, dropout given or drawn."""

from abc import abstractmethod
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.models.dropout import Masks


class EncoderOutput(NamedTuple):
    """Embeddings of windows: z-hat and e-hat of unit length, and z and e before that."""

    pooled: Float[Tensor, "window feature"]
    projected: Float[Tensor, "window feature"]
    pooled_raw: Float[Tensor, "window feature"]
    projected_raw: Float[Tensor, "window feature"]


class Network(nn.Module):
    """From windows of beats to embeddings on the unit sphere.

    Attributes
    ----------
    config
        The arguments that make another of it, as plain values; `view`, `pooled_features` and
        `projected_features` among them.
    """

    config: dict[str, Any]

    @abstractmethod
    def forward(
        self,
        x: Float[Tensor, "window beat"] | Float[Tensor, "window channel beat"],
        masks: Masks | None = None,
    ) -> EncoderOutput:
        """Embed windows; `masks`, where given, says what is dropped."""

    @abstractmethod
    def draw_masks(
        self, windows: int, beats: int, generator: torch.Generator | None = None
    ) -> Masks:
        """Dropout masks for a batch, on the device of the weights."""

"""The interface of objectives: modules that turn an output of the encoder into a loss."""

from abc import abstractmethod
from typing import Literal

import torch
from torch import Tensor, nn

from pacl.axes import Float, Int

Reads = Literal["pooled", "projected", "pooled_raw", "projected_raw"]
"""An output of the encoder: z-hat, e-hat, and both before normalisation."""

Embeddings = Float[Tensor, "window feature"]
Codes = Int[Tensor, "window"]
"""One integer per window: its class or its subject."""


class Objective(nn.Module):
    """A loss over a batch; `reads` names the output of the encoder that it needs."""

    reads: Reads

    @abstractmethod
    def forward(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> Float[Tensor, ""]:
        """The loss of a batch."""

    def after_step(self) -> None:
        """Called after each step of the optimiser."""

    def report(self) -> dict[str, float]:
        """Further values for the log."""
        return {}


def in_full_precision(tensor: Tensor) -> Tensor:
    """Half precision as single; single and double as they are."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()

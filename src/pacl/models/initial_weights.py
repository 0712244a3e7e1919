"""The weights that a network begins with."""

import torch
from torch import nn


@torch.no_grad()
def draw_weights(network: nn.Module, generator: torch.Generator | None) -> None:
    """Torch's own defaults, but from the given generator.

    Uniform within 1 / sqrt(fan in); of an LSTM, within 1 / sqrt(units).
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

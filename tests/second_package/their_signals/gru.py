"""A recurrent encoder: any module that maps (window, channel, time) to a vector will do."""

from dataclasses import dataclass
from typing import Annotated

from torch import nn

from pacl.registry import Entry
from pacl.stored import Between


@dataclass(frozen=True)
class GRUSettings:
    """Of `GRUNetwork`."""

    pooled_features: Annotated[int, Between(1, 1024)] = 16
    """Length of z."""
    dropout: Annotated[float, Between(0, 0.9)] = 0.1
    """Probability of dropout."""


class GRUNetwork(nn.Module):
    """The mean state over time."""

    def __init__(self, channels, features, dropout):
        super().__init__()
        self.gru = nn.GRU(channels, features, batch_first=True)
        self.dropped = nn.Dropout(dropout)

    def forward(self, x):
        states, _ = self.gru(x.transpose(1, 2))
        return self.dropped(states.mean(dim=1))


def make(settings, *, in_channels, generator):
    return GRUNetwork(in_channels, settings.pooled_features, settings.dropout)


ENTRY = Entry("gru", make, GRUSettings, "one recurrent layer")

"""The proposed objective on others' networks, to see whether it depends on the encoder."""

from dataclasses import replace

import torch

from pacl.models import AndersenNetwork, FaustNetwork
from pacl.models.network import Network
from pacl.rivals.contrastive import PROPOSED


def andersen_network(generator: torch.Generator) -> Network:
    """Convolutions and an LSTM, with its first weights."""
    return AndersenNetwork(generator=generator)


def faust_network(generator: torch.Generator) -> Network:
    """A bidirectional LSTM, with its first weights."""
    return FaustNetwork(generator=generator)


PROPOSED_ANDERSEN = replace(
    PROPOSED,
    name="proposed-andersen",
    title="Patient-aware on the Andersen-style network",
    make=andersen_network,
)
PROPOSED_FAUST = replace(
    PROPOSED,
    name="proposed-faust",
    title="Patient-aware on the Faust-style network",
    make=faust_network,
)

"""The proposed objective on others' networks, to see whether it depends on the encoder."""

from dataclasses import replace

import torch

from pacl.models import AndersenNetwork, FaustNetwork
from pacl.models.network import Network
from pacl.rivals.contrastive import PATIENT_AWARE


def andersen_network(generator: torch.Generator) -> Network:
    """Convolutions and an LSTM, with its first weights."""
    return AndersenNetwork(generator=generator)


def faust_network(generator: torch.Generator) -> Network:
    """A bidirectional LSTM, with its first weights."""
    return FaustNetwork(generator=generator)


PATIENT_AWARE_ANDERSEN = replace(
    PATIENT_AWARE,
    name="patient-aware-andersen",
    title="Patient-aware on the Andersen-style network",
    make=andersen_network,
)
PATIENT_AWARE_FAUST = replace(
    PATIENT_AWARE,
    name="patient-aware-faust",
    title="Patient-aware on the Faust-style network",
    make=faust_network,
)

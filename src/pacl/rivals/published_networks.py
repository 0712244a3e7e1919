"""Networks of other groups: trained end to end as published, and with the patient-aware objective.

Andersen et al. (2019): convolutions and an LSTM. Faust et al. (2018): a bidirectional LSTM. The
networks, and what was decided about them, are in `pacl.models.andersen` and `pacl.models.faust`.
Batches, augmentation, AdamW and its cosine are those of all systems in the comparison.
"""

from dataclasses import replace

import torch

from pacl.models import AndersenNetwork, FaustNetwork, Network
from pacl.rivals.contrastive import PATIENT_AWARE
from pacl.rivals.end_to_end import CrossEntropyTrained
from pacl.rivals.system import System


def andersen_network(generator: torch.Generator) -> Network:
    """Convolutions and an LSTM, with initial weights."""
    return AndersenNetwork(generator=generator)


def faust_network(generator: torch.Generator) -> Network:
    """A bidirectional LSTM, with initial weights."""
    return FaustNetwork(generator=generator)


ANDERSEN = CrossEntropyTrained(
    name="andersen-style", title="CNN and LSTM (Andersen-style)", make=andersen_network
)
FAUST = CrossEntropyTrained(
    name="faust-style", title="Bidirectional LSTM (Faust-style)", make=faust_network
)
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

SYSTEMS: tuple[System, ...] = (ANDERSEN, FAUST, PATIENT_AWARE_ANDERSEN, PATIENT_AWARE_FAUST)

"""Networks of other groups: trained end to end as published, and with the patient-aware objective.

Andersen et al. (2019): convolutions and an LSTM. Faust et al. (2018): a bidirectional LSTM. The
networks, and what was decided about them, are in `pacl.af.networks`.
Batches, augmentation, AdamW and its cosine are those of all systems in the comparison.
"""

from dataclasses import replace

from pacl.af.networks import AndersenNetwork, FaustNetwork
from pacl.rivals.contrastive import PATIENT_AWARE
from pacl.rivals.end_to_end import CrossEntropyTrained
from pacl.rivals.system import System

ANDERSEN = CrossEntropyTrained(
    name="andersen-style", title="CNN and LSTM (Andersen-style)", make=AndersenNetwork
)
FAUST = CrossEntropyTrained(
    name="faust-style", title="Bidirectional LSTM (Faust-style)", make=FaustNetwork
)
PATIENT_AWARE_ANDERSEN = replace(
    PATIENT_AWARE,
    name="patient-aware-andersen",
    title="Patient-aware on the Andersen-style network",
    make=AndersenNetwork,
)
PATIENT_AWARE_FAUST = replace(
    PATIENT_AWARE,
    name="patient-aware-faust",
    title="Patient-aware on the Faust-style network",
    make=FaustNetwork,
)

SYSTEMS: tuple[System, ...] = (ANDERSEN, FAUST, PATIENT_AWARE_ANDERSEN, PATIENT_AWARE_FAUST)

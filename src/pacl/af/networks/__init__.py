"""Networks for RR intervals: two of others' papers, and those with one logit per beat."""

from pacl.af.networks.andersen import AndersenNetwork
from pacl.af.networks.beat_lstm import BeatLSTM
from pacl.af.networks.beat_network import (
    CLIPPED_MS,
    COARSE,
    FINE,
    INPUTS,
    BeatNetwork,
    PerBeatNetwork,
    beat_inputs,
    read_beat_network,
    write_beat_network,
)
from pacl.af.networks.faust import FaustNetwork

__all__ = [
    "CLIPPED_MS",
    "COARSE",
    "FINE",
    "INPUTS",
    "AndersenNetwork",
    "BeatLSTM",
    "BeatNetwork",
    "FaustNetwork",
    "PerBeatNetwork",
    "beat_inputs",
    "read_beat_network",
    "write_beat_network",
]

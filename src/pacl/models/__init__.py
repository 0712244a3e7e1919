"""Networks: from windows of beats to embeddings, and from beats to one logit per beat."""

from pacl.models.andersen import AndersenNetwork
from pacl.models.attention import AttentionPool
from pacl.models.beat_lstm import BeatLSTM
from pacl.models.beat_network import BeatNetwork
from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError, WeightsError
from pacl.models.faust import FaustNetwork
from pacl.models.network import EncoderOutput, Network, PerBeatNetwork, full_precision
from pacl.models.stacked import embed_stacked, stack_weights
from pacl.models.stored import read_beat_network, stored_encoder, write_beat_network

__all__ = [
    "AndersenNetwork",
    "AttentionPool",
    "BeatLSTM",
    "BeatNetwork",
    "Encoder",
    "EncoderOutput",
    "FaustNetwork",
    "ModelError",
    "Network",
    "PerBeatNetwork",
    "WeightsError",
    "embed_stacked",
    "full_precision",
    "read_beat_network",
    "stack_weights",
    "stored_encoder",
    "write_beat_network",
]

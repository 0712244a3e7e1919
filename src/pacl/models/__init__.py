"""Networks: from windows of beats to embeddings, and from beats to one logit per beat."""

from pacl.models.andersen import AndersenNetwork
from pacl.models.attention import AttentionPool
from pacl.models.beat_lstm import BeatLSTM
from pacl.models.beat_network import CLIPPED_MS, COARSE, FINE, INPUTS, BeatNetwork, beat_inputs
from pacl.models.dropout import RELEASED_PLACES, Masks, Place, random_bits, split_masks
from pacl.models.encoder import MIN_BEATS, Encoder, Norm, PooledBy, mask_shapes
from pacl.models.errors import ModelError, WeightsError
from pacl.models.faust import FaustNetwork
from pacl.models.network import (
    GAIN,
    SHORTEST_MS,
    EncoderOutput,
    Network,
    PerBeatNetwork,
    View,
    draw_weights,
    full_precision,
)
from pacl.models.stacked import embed_stacked, pool_stacked, stack_weights
from pacl.models.stored import read_beat_network, stored_encoder, write_beat_network

__all__ = [
    "CLIPPED_MS",
    "COARSE",
    "FINE",
    "GAIN",
    "INPUTS",
    "MIN_BEATS",
    "RELEASED_PLACES",
    "SHORTEST_MS",
    "AndersenNetwork",
    "AttentionPool",
    "BeatLSTM",
    "BeatNetwork",
    "Encoder",
    "EncoderOutput",
    "FaustNetwork",
    "Masks",
    "ModelError",
    "Network",
    "Norm",
    "PerBeatNetwork",
    "Place",
    "PooledBy",
    "View",
    "WeightsError",
    "beat_inputs",
    "draw_weights",
    "embed_stacked",
    "full_precision",
    "mask_shapes",
    "pool_stacked",
    "random_bits",
    "read_beat_network",
    "split_masks",
    "stack_weights",
    "stored_encoder",
    "write_beat_network",
]

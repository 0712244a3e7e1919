"""Networks: from windows of a signal to embeddings."""

from pacl.models.attention import AttentionPool
from pacl.models.dropout import RELEASED_PLACES, Masks, Place, random_bits, split_masks
from pacl.models.encoder import MIN_LENGTH, Encoder, Norm, PooledBy, mask_shapes
from pacl.models.errors import ModelError, WeightsError
from pacl.models.network import (
    GAIN,
    SHORTEST,
    EncoderOutput,
    Network,
    View,
    draw_weights,
    full_precision,
    seen,
)
from pacl.models.stacked import embed_stacked, pool_stacked, stack_weights
from pacl.models.stored import stored_encoder, stored_network

__all__ = [
    "GAIN",
    "MIN_LENGTH",
    "RELEASED_PLACES",
    "SHORTEST",
    "AttentionPool",
    "Encoder",
    "EncoderOutput",
    "Masks",
    "ModelError",
    "Network",
    "Norm",
    "Place",
    "PooledBy",
    "View",
    "WeightsError",
    "draw_weights",
    "embed_stacked",
    "full_precision",
    "mask_shapes",
    "pool_stacked",
    "random_bits",
    "seen",
    "split_masks",
    "stack_weights",
    "stored_encoder",
    "stored_network",
]

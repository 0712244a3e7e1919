"""Networks: from windows of a signal to embeddings."""

from pacl.models.attention import AttentionPool
from pacl.models.dropout import Masks, random_bits, split_masks
from pacl.models.encoder import MIN_LENGTH, Encoder, mask_shapes
from pacl.models.errors import ModelError, WeightsError
from pacl.models.named import PAPERS, branches, make_encoder, papers_encoder, residual
from pacl.models.network import (
    GAIN,
    SHORTEST,
    EncoderOutput,
    Network,
    draw_weights,
    full_precision,
    seen,
)
from pacl.models.residual import ResidualEncoder
from pacl.models.signal_encoder import SignalEncoder, as_encoder
from pacl.models.stacked import embed_stacked, pool_stacked, stack_weights, why_alone
from pacl.models.stored import stored_encoder, stored_network
from pacl.settings import RELEASED_PLACES, Norm, Place, PooledBy, View

__all__ = [
    "GAIN",
    "MIN_LENGTH",
    "PAPERS",
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
    "ResidualEncoder",
    "SignalEncoder",
    "View",
    "WeightsError",
    "as_encoder",
    "branches",
    "draw_weights",
    "embed_stacked",
    "full_precision",
    "make_encoder",
    "mask_shapes",
    "papers_encoder",
    "pool_stacked",
    "random_bits",
    "residual",
    "seen",
    "split_masks",
    "stack_weights",
    "stored_encoder",
    "stored_network",
    "why_alone",
]

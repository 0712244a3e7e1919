"""Networks that turn windows of beats into embeddings."""

from pacl.models.attention import AttentionPool
from pacl.models.encoder import Encoder, EncoderOutput
from pacl.models.errors import ModelError, WeightsError

__all__ = ["AttentionPool", "Encoder", "EncoderOutput", "ModelError", "WeightsError"]

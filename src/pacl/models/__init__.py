"""Networks that turn windows of beats into embeddings."""

from pacl.models.andersen import AndersenNetwork
from pacl.models.attention import AttentionPool
from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError, WeightsError
from pacl.models.faust import FaustNetwork
from pacl.models.network import EncoderOutput, Network

__all__ = [
    "AndersenNetwork",
    "AttentionPool",
    "Encoder",
    "EncoderOutput",
    "FaustNetwork",
    "ModelError",
    "Network",
    "WeightsError",
]

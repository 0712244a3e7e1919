"""Networks made again from their arguments and tensors, as they were stored."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from pacl.models.beat_network import BeatNetwork
from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError
from pacl.stored import MisfitError, build

Network = TypeVar("Network", bound=nn.Module)


def stored_encoder(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Encoder:
    """The encoder, ready to evaluate; refuses arguments and tensors that do not fit together."""
    sizes = [stated.get(key) for key in ("kernels", "channels")]
    if math.prod(len(size) for size in sizes if isinstance(size, list)) > len(tensors):
        raise ModelError(f"encoder: more convolutions than the {len(tensors)} tensors there are")
    return _stored(Encoder, "encoder", stated, tensors)


def stored_beat_network(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> BeatNetwork:
    """The network, ready to use; refuses arguments and tensors that do not fit together."""
    dilations = stated.get("dilations")
    if isinstance(dilations, list) and len(dilations) > len(tensors):
        raise ModelError(f"network: more blocks than the {len(tensors)} tensors there are")
    return _stored(BeatNetwork, "network", stated, tensors)


def _stored(
    kind: type[Network], what: str, stated: Mapping[str, Any], tensors: Mapping[str, Tensor]
) -> Network:
    """A network is built without memory for weights, and takes over those that are there.

    Whatever sizes are stated, no more memory is used than the file has bytes.
    """
    try:
        with torch.device("meta"):
            network: Network = build(kind, stated, generator=None)
        expected = network.state_dict()
        for name in sorted(expected.keys() | tensors.keys()):
            wanted, came = expected.get(name), tensors.get(name)
            if wanted is None or came is None:
                raise ModelError(f"tensor {name} is {'missing' if came is None else 'not known'}")
            if (wanted.shape, wanted.dtype) != (came.shape, came.dtype):
                raise ModelError(
                    f"tensor {name} is {came.dtype} of shape {tuple(came.shape)}, expected "
                    f"{wanted.dtype} of shape {tuple(wanted.shape)}"
                )
        network.load_state_dict(dict(tensors), assign=True)
    except (MisfitError, RuntimeError, TypeError, OverflowError) as error:
        raise ModelError(f"{what}: {error}") from error
    return network.eval()

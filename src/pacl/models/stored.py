"""Networks read from files: arguments and tensors that are checked against each other."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError
from pacl.stored import MisfitError, build

Network = TypeVar("Network", bound=nn.Module)


def stored_encoder(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Encoder:
    """The encoder in evaluation mode; an error if arguments and tensors do not fit together."""
    sizes = [stated.get(key) for key in ("kernels", "channels")]
    if math.prod(len(size) for size in sizes if isinstance(size, list)) > len(tensors):
        raise ModelError(f"encoder: more convolutions than the {len(tensors)} tensors there are")
    return stored_network(Encoder, "encoder", stated, tensors)


def stored_network(
    kind: type[Network], what: str, stated: Mapping[str, Any], tensors: Mapping[str, Tensor]
) -> Network:
    """Build a network without memory for weights, then assign the tensors.

    Memory is limited by the size of the file, whatever sizes it states.
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

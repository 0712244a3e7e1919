"""Networks read from files: arguments and tensors that are checked against each other."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import torch
from torch import Tensor, nn

from pacl.models.beat_network import BeatNetwork
from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError
from pacl.stored import MisfitError, build, read_tensors, write_tensors

FORMAT = "pacl beats 1"
"""Of a beat network's file."""

Network = TypeVar("Network", bound=nn.Module)


def stored_encoder(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Encoder:
    """The encoder in evaluation mode; an error if arguments and tensors do not fit together."""
    sizes = [stated.get(key) for key in ("kernels", "channels")]
    if math.prod(len(size) for size in sizes if isinstance(size, list)) > len(tensors):
        raise ModelError(f"encoder: more convolutions than the {len(tensors)} tensors there are")
    return _stored(Encoder, "encoder", stated, tensors)


def stored_beat_network(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> BeatNetwork:
    """The network in evaluation mode; an error if arguments and tensors do not fit together."""
    dilations = stated.get("dilations")
    if isinstance(dilations, list) and len(dilations) > len(tensors):
        raise ModelError(f"network: more blocks than the {len(tensors)} tensors there are")
    return _stored(BeatNetwork, "network", stated, tensors)


def _stored(
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


def write_beat_network(network: BeatNetwork, path: Path) -> None:
    """Write the file atomically; the same network gives the same bytes."""
    write_tensors(path, network.state_dict(), {"format": FORMAT, "network": network.config})


def read_beat_network(path: Path) -> BeatNetwork:
    """Read what `write_beat_network` wrote."""
    stated, tensors = read_tensors(path, _Stated, _no_network, written_as=FORMAT)
    try:
        return stored_beat_network(stated["network"], tensors)
    except ModelError as error:
        raise _no_network(path, str(error)) from error


class _Stated(TypedDict):
    """Metadata of the file."""

    network: dict[str, Any]


def _no_network(path: Path, what: str) -> ModelError:
    return ModelError(f"{path}: no beat network ({what}); give a file that pacl weights wrote")

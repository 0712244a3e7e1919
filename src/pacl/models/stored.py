"""Networks read from files: arguments and tensors that are checked against each other."""

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypedDict, TypeVar

import torch
from torch import Tensor, nn

from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError
from pacl.models.named import PAPERS, make_encoder
from pacl.models.network import Network
from pacl.registry import RegistryError
from pacl.settings import ENCODERS, SettingsError, settled
from pacl.stored import Between, MisfitError, build, fitted

N = TypeVar("N", bound=nn.Module)


def stored_encoder(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Network:
    """The encoder in evaluation mode; an error if arguments and tensors do not fit together.

    The name in a file says which encoder it is; a file without a name holds the paper's.
    """
    if stated.get("name", PAPERS) == PAPERS:
        return _papers({key: value for key, value in stated.items() if key != "name"}, tensors)
    try:
        known: _Stated = fitted(_Stated, stated)
        kind = ENCODERS.named(known["name"]).settings
        settings = settled(kind, known["settings"])
    except (MisfitError, RegistryError, SettingsError) as error:
        raise ModelError(f"encoder: {error}") from error
    channels = known["in_channels"]
    network = _filled(lambda: make_encoder(settings, in_channels=channels), "encoder", tensors)
    # Buffers that are not stored have no values yet: make them, now that all sizes are known.
    made = make_encoder(settings, in_channels=channels, generator=torch.Generator())
    made.load_state_dict(network.state_dict(), assign=True)
    return made.eval()


def _papers(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Encoder:
    sizes = [stated.get(key) for key in ("kernels", "channels")]
    if math.prod(len(size) for size in sizes if isinstance(size, list)) > len(tensors):
        raise ModelError(f"encoder: more convolutions than the {len(tensors)} tensors there are")
    return stored_network(Encoder, "encoder", stated, tensors)


def stored_network(
    kind: type[N], what: str, stated: Mapping[str, Any], tensors: Mapping[str, Tensor]
) -> N:
    """Build a network without memory for weights, then assign the tensors.

    Memory is limited by the size of the file, whatever sizes it states.
    """
    made: N = _filled(lambda: build(kind, stated, generator=None), what, tensors)
    return made.eval()


def _filled(make: Callable[[], N], what: str, tensors: Mapping[str, Tensor]) -> N:
    try:
        with torch.device("meta"):
            network = make()
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
    return network


class _Stated(TypedDict):
    """What a file says of an encoder that is not the paper's."""

    name: str
    in_channels: Annotated[int, Between(1, 65_536)]
    settings: dict[str, Any]

"""A beat network in one file (safetensors): its settings and its weights."""

import json
from pathlib import Path
from typing import Any, TypedDict

from pacl.atomic_write import atomic_write
from pacl.models.beat_network import BeatNetwork
from pacl.models.errors import ModelError
from pacl.models.stored import stored_beat_network
from pacl.stored import read_tensors

FORMAT = "pacl beats 1"


def write_beat_network(network: BeatNetwork, path: Path) -> None:
    """Write the file, whole or not at all; the same network gives the same bytes."""
    from safetensors.torch import save

    tensors = {
        name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()
    }
    stated = {"format": FORMAT, "network": network.config}
    atomic_write(path, save(tensors, {"pacl": json.dumps(stated, sort_keys=True)}))


def read_beat_network(path: Path) -> BeatNetwork:
    """Read what `write_beat_network` wrote."""
    stated, tensors = read_tensors(path, _Stated, _no_network, written_as=FORMAT)
    try:
        return stored_beat_network(stated["network"], tensors)
    except ModelError as error:
        raise _no_network(path, str(error)) from error


class _Stated(TypedDict):
    """What the file says of the network."""

    network: dict[str, Any]


def _no_network(path: Path, what: str) -> ModelError:
    return ModelError(f"{path}: no beat network ({what}); give a file that pacl weights wrote")

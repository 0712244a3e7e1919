"""Files of networks with one logit per beat."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from torch import Tensor

from pacl.af.networks.beat_network import BeatNetwork
from pacl.models import ModelError, stored_network
from pacl.stored import read_tensors, write_tensors

FORMAT = "pacl beats 1"
"""Of a beat network's file."""


def stored_beat_network(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> BeatNetwork:
    """The network in evaluation mode; an error if arguments and tensors do not fit together."""
    dilations = stated.get("dilations")
    if isinstance(dilations, list) and len(dilations) > len(tensors):
        raise ModelError(f"network: more blocks than the {len(tensors)} tensors there are")
    return stored_network(BeatNetwork, "network", stated, tensors)


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

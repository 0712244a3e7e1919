"""The weights of a run on disk: encoder and objective, with the encoder's arguments."""

import json
from pathlib import Path
from typing import Any, TypedDict

from safetensors.torch import save
from torch import Tensor, nn

from pacl.atomic_write import atomic_write
from pacl.models import Encoder, ModelError, Network
from pacl.models.stored import stored_encoder
from pacl.stored import read_tensors
from pacl.studies.errors import RunError

FORMAT = "pacl run 1"
MODEL = "model.safetensors"


def write_model(path: Path, encoder: Network, objective: nn.Module | None = None) -> None:
    """Write the weights of both."""
    # The memory of an objective holds training windows, not weights.
    learned = {} if objective is None else dict(objective.named_parameters())
    tensors: dict[str, Tensor] = {
        f"{name}.{key}": value.detach().cpu().contiguous()
        for name, part in (("encoder", encoder.state_dict()), ("objective", learned))
        for key, value in part.items()
    }
    # One entry: safetensors writes several in an order that changes from call to call.
    about = {"pacl": json.dumps({"format": FORMAT, "encoder": encoder.config})}
    atomic_write(path, save(tensors, about))


def read_model(path: Path) -> Encoder:
    """The encoder."""
    stated, tensors = read_tensors(path, _Model, train_again, written_as=FORMAT)
    of_encoder = {
        name.removeprefix("encoder."): tensor
        for name, tensor in tensors.items()
        if name.startswith("encoder.")
    }
    try:
        return stored_encoder(stated["encoder"], of_encoder)
    except ModelError as error:
        raise train_again(path, str(error)) from error


def train_again(path: Path, what: str) -> RunError:
    """The error for a file of a run that cannot be used."""
    return RunError(path, what, "train the run again")


class _Model(TypedDict):
    """What the file says besides tensors."""

    encoder: dict[str, Any]

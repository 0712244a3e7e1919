"""The weights of a run on disk: encoder and objective, with the encoder's arguments."""

from pathlib import Path
from typing import Any, TypedDict

from torch import Tensor, nn

from pacl.models import ModelError, Network, stored_encoder
from pacl.stored import read_tensors, write_tensors
from pacl.studies.errors import RunError

FORMAT = "pacl run 1"
MODEL = "model.safetensors"


def write_model(path: Path, encoder: Network, objective: nn.Module | None = None) -> None:
    """Write the weights of both."""
    # The memory of an objective holds training windows, not weights.
    learned = {} if objective is None else dict(objective.named_parameters())
    tensors: dict[str, Tensor] = {
        f"{name}.{key}": value
        for name, part in (("encoder", encoder.state_dict()), ("objective", learned))
        for key, value in part.items()
    }
    about = {"format": FORMAT, "encoder": encoder.config}
    write_tensors(path, tensors, about, sort_keys=False)


def read_model(path: Path) -> Network:
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

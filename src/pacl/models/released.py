"""The state dict that the paper's authors released, under the names of our own encoder."""

import re
from pathlib import Path

import torch
from torch import Tensor

from pacl.models.errors import WeightsError
from pacl.stored import read_state

NAMES = (
    (r"encoder\.branch([123])\.(\d+)\.", lambda found: f"branches.{int(found[1]) - 1}.{found[2]}."),
    (r"encoder\.channel_mix\.", lambda found: "mix."),
    (r"encoder\.attention_pool\.attention_conv\.0\.", lambda found: "attention.score."),
    (r"encoder\.proj\.0\.", lambda found: "to_pooled."),
    (r"projection\.0\.", lambda found: "project.0."),
    (r"projection\.2\.", lambda found: "project_out."),
)
"""How a released name begins, and how ours does."""


def read_released(path: Path | str) -> dict[str, Tensor]:
    """Read the released weights to the CPU, renamed; every tensor has a place, and none is lost."""
    path = Path(path)
    released = read_state(path, _not_released)
    if not all(isinstance(k, str) and isinstance(v, Tensor) for k, v in released.items()):
        raise _not_released(path, "not a state dict")
    renamed = {_renamed(key, path): value for key, value in released.items()}
    _check_complete(renamed, path)
    return renamed


def _renamed(key: str, path: Path) -> str:
    for begins, ours in NAMES:
        name, count = re.subn(f"^{begins}", ours, key)
        if count:
            return name
    raise WeightsError(path, f"it holds {key}, which the encoder has no place for", "use another")


def _check_complete(renamed: dict[str, Tensor], path: Path) -> None:
    from pacl.models.encoder import Encoder

    encoder = Encoder(generator=torch.Generator())
    expected = {name: value.shape for name, value in encoder.state_dict().items()}
    found = {name: value.shape for name, value in renamed.items()}
    if differ := sorted(name for name in expected | found if expected.get(name) != found.get(name)):
        raise _not_released(
            path,
            f"{len(differ)} tensors are missing, unknown or of another shape: "
            f"{', '.join(differ[:5])}",
        )


def _not_released(path: Path, what: str) -> WeightsError:
    return WeightsError(path, what, "give the checkpoint the authors released")

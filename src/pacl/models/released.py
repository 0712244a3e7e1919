"""The weights that the paper's authors released, renamed for our encoder."""

import re
from collections.abc import Mapping
from pathlib import Path

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
"""Prefixes of released names, and ours."""


def read_released(path: Path | str, expected: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Read the released weights to the CPU, renamed; names and shapes must be the expected ones."""
    path = Path(path)
    released = read_state(path, _not_released)
    if not all(isinstance(value, Tensor) for value in released.values()):
        raise _not_released(path, "not a state dict")
    renamed = {_renamed(key, path): value for key, value in released.items()}
    found, needed = ({key: each.shape for key, each in of.items()} for of in (renamed, expected))
    if differ := sorted({name for name, _ in found.items() ^ needed.items()}):
        named = ", ".join(differ[:5])
        raise _not_released(
            path, f"{len(differ)} tensors are missing, unknown or of another shape: {named}"
        )
    return renamed


def _renamed(key: str, path: Path) -> str:
    for begins, ours in NAMES:
        name, count = re.subn(f"^{begins}", ours, key)
        if count:
            return name
    raise _not_released(path, f"it holds {key}, which the encoder does not have")


def _not_released(path: Path, what: str) -> WeightsError:
    return WeightsError(path, what, "give the checkpoint the authors released")

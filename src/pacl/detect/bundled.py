"""The weights that come with the package: where their files are."""

from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from pacl.errors import PaclError

BUNDLED = ("af-rr200",)
"""Names of the weights, the default first."""

Kind = Literal["onnx", "safetensors", "md"]
"""To run anywhere, to learn from with torch, and the model card."""


def bundled_file(name: str = BUNDLED[0], kind: Kind = "onnx") -> Path:
    """Path of a file of bundled weights.

    Examples
    --------
    >>> bundled_file().name
    'af-rr200.onnx'
    """
    if name not in BUNDLED:
        raise PaclError(f"no weights {name!r} come along; there are {', '.join(BUNDLED)}")
    if kind not in get_args(Kind):
        raise PaclError(f"weights have no file {kind!r}; there are {', '.join(get_args(Kind))}")
    return Path(str(files("pacl.detect") / "weights" / f"{name}.{kind}"))

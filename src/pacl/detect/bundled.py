"""The weights that come with the package: where their files are."""

from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from pacl.errors import PaclError

Kind = Literal["onnx", "int8.onnx", "safetensors", "md", "map.json"]
"""To run anywhere, the same in bytes, to learn from with torch, the model card, and the map of
those learned from."""

KINDS: dict[str, tuple[Kind, ...]] = {
    "af-rr200": ("onnx", "int8.onnx", "safetensors", "md", "map.json"),
    "af-rr200-edge": ("safetensors", "md"),
}
"""Which files come with which weights: all for the detector, what `pacl export` makes C of."""

BUNDLED = tuple(KINDS)
"""Names of the weights, the default first."""


def bundled_file(name: str = BUNDLED[0], kind: Kind = "onnx") -> Path:
    """Path of a file of bundled weights.

    Examples
    --------
    >>> bundled_file().name
    'af-rr200.onnx'
    """
    if name not in BUNDLED:
        raise PaclError(f"no bundled weights {name!r}; there are {', '.join(BUNDLED)}")
    if kind not in get_args(Kind):
        raise PaclError(f"weights have no file {kind!r}; there are {', '.join(get_args(Kind))}")
    if kind not in KINDS[name]:
        raise PaclError(
            f"{name} comes without .{kind}, with {', '.join(KINDS[name])}; make others with "
            "pacl export"
        )
    return Path(str(files("pacl.detect") / "weights" / f"{name}.{kind}"))

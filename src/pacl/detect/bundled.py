"""The weights that come with the package: where their files are, and how to use them."""

from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from pacl.detect.artifact import FILE, Artifact
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.errors import DetectError
from pacl.detect.judge import Judge, OperatingPoint
from pacl.detect.scorer import WindowScorer
from pacl.detect.window_judge import WindowJudge
from pacl.errors import PaclError

Kind = Literal["onnx", "int8.onnx", "safetensors", "md", "map.json"]
"""To run anywhere, the same in bytes, to learn from with torch, the model card, and the map of
those learned from."""

KINDS: dict[str, tuple[Kind, ...]] = {
    "af-rr200": ("onnx", "int8.onnx", "safetensors", "md", "map.json"),
    "af-rr200-edge": ("safetensors", "md"),
}
"""Which files come with which weights: all for the detector, what `pacl export` makes C of."""

FOLDERS = ("af-beats",)
"""Bundled detectors that judge every beat, each a folder."""

BUNDLED = (*FOLDERS, *KINDS)
"""Names of the weights, the default first."""


def bundled_folder(name: str = BUNDLED[0]) -> Path:
    """Folder of a bundled detector.

    Examples
    --------
    >>> bundled_folder().name
    'af-beats'
    """
    if name not in FOLDERS:
        raise PaclError(f"no bundled detector {name!r}; there are {', '.join(FOLDERS)}")
    return Path(str(files("pacl.detect") / "weights" / name))


def open_judge(weights: str | Path, point: OperatingPoint = "balanced") -> Judge:
    """Weights by the name of those bundled, or by the folder or file that `pacl weights` wrote.

    A name is that of bundled weights, also where a folder is called so: name that `./af-beats`.
    """
    if point not in get_args(OperatingPoint):
        raise DetectError(
            f"operating point {point!r}; there are {', '.join(get_args(OperatingPoint))}"
        )
    path = Path(weights)
    if isinstance(weights, str) and weights in BUNDLED:
        path = bundled_folder(weights) if weights in FOLDERS else bundled_file(weights, "onnx")
    if (path / FILE).is_file():
        return BeatJudge(Artifact.read(path), point)
    if path.suffix == ".onnx" and path.is_file():
        if point != "balanced":
            raise DetectError(
                f"{weights}: weights of windows have one operating point, balanced; use af-beats"
            )
        return WindowJudge(WindowScorer.open(path))
    usable = [name for name in BUNDLED if "onnx" in KINDS.get(name, ("onnx",))]
    raise DetectError(
        f"{weights}: no weights; give a folder with a {FILE}, an .onnx file that pacl weights "
        f"wrote, or one of {', '.join(usable)}"
    )


def bundled_file(name: str, kind: Kind = "onnx") -> Path:
    """Path of a file of bundled weights of windows.

    Examples
    --------
    >>> bundled_file("af-rr200").name
    'af-rr200.onnx'
    """
    if name not in KINDS:
        raise PaclError(f"no bundled weights {name!r} of windows; there are {', '.join(KINDS)}")
    if kind not in get_args(Kind):
        raise PaclError(f"weights have no file {kind!r}; there are {', '.join(get_args(Kind))}")
    if kind not in KINDS[name]:
        raise PaclError(
            f"{name} comes without .{kind}, with {', '.join(KINDS[name])}; make others with "
            "pacl export"
        )
    return Path(str(files("pacl.detect") / "weights" / f"{name}.{kind}"))

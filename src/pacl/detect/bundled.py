"""The bundled weights: their files, and how to open them."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from pacl.detect.artifact import DETECTOR_FILE, Artifact
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.judge import Judge, OperatingPoint
from pacl.detect.not_judged import DetectError
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.window_judge import WindowJudge
from pacl.detect.window_scorer import WindowScorer
from pacl.errors import PaclError

Kind = Literal["onnx", "int8.onnx", "safetensors", "md", "map.json"]
"""The network for ONNX Runtime, the same with int8 weights, the weights for torch, the model card,
and the map of the patients in the training data."""

KINDS: dict[str, tuple[Kind, ...]] = {
    "af-rr200": ("onnx", "int8.onnx", "safetensors", "md", "map.json"),
    "af-rr200-edge": ("safetensors", "md"),
}
"""The files of each weights. `af-rr200-edge` is for `pacl export` only."""

FOLDERS = ("af-beats",)
"""Bundled detectors that judge each beat; each is a folder."""

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


def find_artifact(weights: str | Path) -> Artifact | None:
    """The detector of beats with this name or in this folder; None where there is none."""
    bundled = isinstance(weights, str) and weights in FOLDERS
    folder = bundled_folder(str(weights)) if bundled else Path(weights)
    return Artifact.read(folder) if (folder / DETECTOR_FILE).is_file() else None


def open_judge(weights: str | Path, point: OperatingPoint = "balanced") -> Judge:
    """Open bundled weights by name, or a folder or file that `pacl weights` wrote.

    A name always means bundled weights; write `./af-beats` for a folder of that name.
    """
    if point not in get_args(OperatingPoint):
        raise DetectError(
            f"operating point {point!r}; there are {', '.join(get_args(OperatingPoint))}"
        )
    if (artifact := find_artifact(weights)) is not None:
        return BeatJudge(artifact, point)
    path = Path(weights)
    if isinstance(weights, str) and weights in KINDS:
        path = bundled_file(weights, "onnx")
    if path.suffix == ".onnx" and path.is_file():
        if point != "balanced":
            raise DetectError(
                f"{weights}: weights of windows have one operating point: balanced; use af-beats"
            )
        return WindowJudge(WindowScorer.open(path))
    usable = [name for name in BUNDLED if "onnx" in KINDS.get(name, ("onnx",))]
    raise DetectError(
        f"{weights}: no weights; give a folder with a {DETECTOR_FILE}, an .onnx file that pacl "
        f"weights wrote, or one of {', '.join(usable)}"
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


@cache
def bundled_map(name: str) -> ReferenceMap | None:
    """The map of bundled weights of windows; None where they have none."""
    if "map.json" not in KINDS.get(name, ("map.json",)):
        return None
    return ReferenceMap.read(bundled_file(name, "map.json"))

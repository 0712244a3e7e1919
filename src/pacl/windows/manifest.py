"""What the manifest of windows of any signal states."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pacl.stored import Between, read_json
from pacl.windows.folder import MANIFEST, no_window_set

FORMAT = "pacl windows 2"
X_FILE, LABELS_FILE, TABLE_FILE = "x.npy", "labels.npy", "windows.parquet"


class Manifest(TypedDict):
    """The part of a manifest that is used."""

    windows: Annotated[int, Between(1, 10**9)]
    channels: Annotated[int, Between(1, 10**6)]
    length: Annotated[int, Between(1, 10**9)]
    class_names: list[str]
    labels: Literal["window", "sample"]
    allowed: list[str]
    files: dict[str, str]
    sampling_hz: NotRequired[Annotated[float, Between(1e-9, 1e12)] | None]
    starts_known: NotRequired[bool]
    split: NotRequired[dict[str, Any]]
    source: NotRequired[str]
    digest: NotRequired[str]


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """The manifest of a window set."""
    found: Mapping[str, Any] = read_json(
        folder / MANIFEST, Manifest, no_window_set, written_as=FORMAT
    )
    return found


def files_of(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that a set must have."""
    of_samples = (LABELS_FILE,) if manifest["labels"] == "sample" else ()
    return (X_FILE, TABLE_FILE, *of_samples)

"""One fit of one system, and its result on disk."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32, Int64
from pacl.stored import fitted, parse_json, read_archive
from pacl.studies.errors import RunError

FITS = "fits"
"""Folder of the results of a study."""


@dataclass(frozen=True, slots=True)
class SystemFit:
    """A fit: which system, which seed, which fold of subjects."""

    system: str
    seed: int
    fold: int

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.system}, seed {self.seed}, fold {self.fold}"

    @property
    def path(self) -> Path:
        """Where its result is kept, within the folder of a study."""
        return Path(FITS, self.system, f"seed-{self.seed}-fold-{self.fold}.npz")


@dataclass(frozen=True, slots=True)
class AboutFit:
    """What is known of a fit besides its predictions.

    Parameters
    ----------
    seconds, epochs, device
        Of training: how long, how many epochs if it has any, and where.
    subjects
        How many subjects it was trained on.
    turns
        By how many channels each subject was turned, where channels lie on a ring.
    geometry
        Of each test subject's embeddings, by name; what has no value is None.
    """

    fit: SystemFit
    seconds: float
    epochs: int
    device: str
    subjects: int
    turns: dict[str, int] = field(default_factory=dict)
    geometry: dict[str, dict[str, float | None]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class FitResult:
    """Predictions of a fit on its test windows.

    Parameters
    ----------
    rows, probability
        Rows of the window set, and the probability of each class.
    shown, embedded
        Rows of windows for a picture, of all subjects, and their embeddings; none for most fits.
    """

    about: AboutFit
    rows: Int64[Array, "window"]
    probability: Float32[Array, "window class"]
    shown: Int64[Array, "shown"]
    embedded: Float32[Array, "shown feature"]

    def write(self, path: Path) -> None:
        """Write it atomically; embeddings are for pictures, so they are kept in half precision."""
        arrays: Mapping[str, Any] = {
            "about": np.array(json.dumps(asdict(self.about))),
            "rows": self.rows.astype(np.int64),
            "probability": self.probability.astype(np.float32),
            "shown": self.shown.astype(np.int64),
            "embedded": self.embedded.astype(np.float16),
        }
        content = BytesIO()
        np.savez_compressed(content, **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, content.getvalue())

    @classmethod
    def read(cls, path: Path) -> "FitResult":
        """Read what `write` wrote."""
        arrays = read_archive(path, _fit_again)
        text = arrays.pop("about", np.zeros(0))
        if text.shape != () or text.dtype.kind != "U":
            raise _fit_again(path, "it does not describe the fit")
        about = fitted(AboutFit, parse_json(str(text).encode(), path, dict[str, Any], _fit_again))
        for name, (kind, axes) in _ARRAYS.items():
            found = arrays.get(name)
            if found is None or found.dtype != kind or found.ndim != axes:
                raise _fit_again(path, f"no {name} of {np.dtype(kind)} with {axes} axes")
        probability = arrays["probability"]
        if len(probability) != len(arrays["rows"]) or not np.isfinite(probability).all():
            raise _fit_again(path, "it has no probability for some of its windows")
        return cls(
            about,
            arrays["rows"],
            probability,
            arrays["shown"],
            arrays["embedded"].astype(np.float32),
        )


_ARRAYS = {
    "rows": (np.int64, 1),
    "probability": (np.float32, 2),
    "shown": (np.int64, 1),
    "embedded": (np.float16, 2),
}


def _fit_again(path: Path, what: str) -> RunError:
    return RunError(path, what, "remove it and run again")

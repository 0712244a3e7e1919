"""A map of the patients that weights were trained on, and the windows of a recording on it.

```
the other differences   |  o o              o  a patient's rhythm without AF
 between patients       | o o    :  x x     x  a patient's AF
 of one rhythm          |  o     : x x      :  even odds of AF
                        +----------------
                          more like AF ->
```

Both axes are directions in the space of pooled embeddings (z-hat), at right angles and of length
one. Patients are anonymous.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Bool, Float, Float32, Float64, Int64
from pacl.detect.not_judged import DetectError
from pacl.detect.window_scorer import WindowScorer
from pacl.detect.window_steps import cut_stretch
from pacl.records import Record
from pacl.stored import read_json

FORMAT = "pacl map 2"
SQUARE = 1e-3
"""Tolerance for rounding: axes are at right angles and of length one."""


@dataclass(frozen=True, eq=False, slots=True)
class ReferenceMap:
    """The rhythms of reference patients.

    Parameters
    ----------
    axes, origin
        The two directions of the map, and its point (0, 0).
    centres, af
        Mean pooled embedding of each patient in AF and of each without AF, and which are AF.
    far_not_af, far_af
        For each rhythm, a distance: 99 % of the centres lie closer to another patient's centre of
        the same rhythm. A point farther away is unlike all reference patients.
    """

    axes: Float64[Array, "2 feature"]
    origin: Float64[Array, "feature"]
    centres: Float64[Array, "centre feature"]
    af: Bool[Array, "centre"]
    far_not_af: float
    far_af: float

    def place(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "window 2"]:
        """Coordinates of embeddings on the map."""
        found: Float64[Array, "window 2"] = (self._same_space(pooled) - self.origin) @ self.axes.T
        return found

    def distances(self, point: Float[Array, "feature"]) -> Float64[Array, "centre"]:
        """Distance of a point from each centre, in the space of embeddings."""
        found: Float64[Array, "centre"] = np.linalg.norm(
            self.centres - self._same_space(point[None]), axis=1
        )
        return found

    def nearest(self, point: Float[Array, "feature"], count: int) -> Int64[Array, "near"]:
        """The centres nearest to a point, the nearest first."""
        return np.argsort(self.distances(point), kind="stable")[:count]

    def is_far(self, point: Float[Array, "feature"], *, af: bool) -> bool:
        """Whether a point is farther from all centres of a rhythm than `far_af` or `far_not_af`."""
        nearest = float(self.distances(point)[self.af == af].min(initial=np.inf))
        return nearest > (self.far_af if af else self.far_not_af)

    def _same_space(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "_ feature"]:
        if pooled.shape[-1] != self.origin.size:
            raise DetectError(
                f"windows have {pooled.shape[-1]} pooled features, the map has "
                f"{self.origin.size}; use the map of these weights"
            )
        return pooled.astype(np.float64)

    def write(self, path: Path) -> None:
        """Write the file atomically; the same map gives the same bytes."""
        stated = {
            "format": FORMAT,
            "far_not_af": self.far_not_af,
            "far_af": self.far_af,
            "axes": self.axes.tolist(),
            "origin": self.origin.tolist(),
            "af": self.af.tolist(),
            "centres": self.centres.tolist(),
        }
        atomic_write(path, (json.dumps(stated, separators=(",", ":")) + "\n").encode())

    @classmethod
    def read(cls, path: Path | str) -> "ReferenceMap":
        """Read a file that `write` wrote."""
        path = Path(path)
        stated = read_json(path, _Stated, _no_map, written_as=FORMAT)
        try:
            return cls._checked(stated)
        except ValueError as error:
            raise _no_map(path, str(error)) from error

    @classmethod
    def _checked(cls, stated: "_Stated") -> "ReferenceMap":
        """The map of a file, with its shapes checked."""
        axes, origin, centres = (
            np.array(stated[key], dtype=np.float64) for key in ("axes", "origin", "centres")
        )
        af = np.array(stated["af"], dtype=np.bool_)
        shapes = (axes.shape, centres.shape, af.shape)
        if origin.ndim != 1 or shapes != ((2, origin.size), (af.size, origin.size), (af.size,)):
            raise ValueError(
                f"axes of shape {axes.shape}, origin {origin.shape}, centres {centres.shape}, "
                f"af {af.shape}, which do not fit together"
            )
        if not af.size:
            raise ValueError("it has no patients")
        if np.abs(axes @ axes.T - np.eye(2)).max() > SQUARE:
            raise ValueError("axes that are not at right angles, or not of length one")
        far = float(stated["far_not_af"]), float(stated["far_af"])
        if min(far) <= 0:
            raise ValueError(f"far_not_af and far_af are {far}, expected distances above 0")
        return cls(axes, origin, centres, af, *far)


class _Stated(TypedDict):
    """The content of a file."""

    axes: list[list[float]]
    origin: list[float]
    centres: list[list[float]]
    af: list[bool]
    far_not_af: float
    far_af: float


def _no_map(path: Path, what: str) -> DetectError:
    return DetectError(
        f"{path}: no map of reference patients ({what}); give a file that pacl weights wrote"
    )


@dataclass(frozen=True, eq=False, slots=True)
class RecordEmbeddings:
    """The windows of a recording that can be judged: first and last beat, and embedding."""

    reference: ReferenceMap
    first: Int64[Array, "window"]
    last: Int64[Array, "window"]
    pooled: Float32[Array, "window feature"]


def embed_record(record: Record, scorer: WindowScorer, reference: ReferenceMap) -> RecordEmbeddings:
    """Embed the windows of a recording that can be judged."""
    none = np.empty(0, np.int64)
    first, last = [none], [none]
    pooled = [np.empty((0, reference.origin.size), np.float32)]
    for start, stop in record.stretches():
        cut = cut_stretch(record.rr_ms[start:stop], scorer.window_beats)
        if not cut.fit.any():
            continue
        first.append(start + cut.first[cut.fit])
        last.append(start + cut.last[cut.fit])
        pooled.append(scorer.pooled(cut.rr_ms[cut.fit]))
    return RecordEmbeddings(
        reference, np.concatenate(first), np.concatenate(last), np.concatenate(pooled)
    )

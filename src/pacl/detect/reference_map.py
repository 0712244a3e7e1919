"""A map of the patients that weights were learned from, on which other recordings are placed.

```
 what else patients     |  o o              o  a patient's rhythm without AF
 of one rhythm          | o o    :  x x     x  a patient's AF
 differ in most         |  o     : x x      :  even odds of AF
                        +----------------
                          more like AF ->
```

Both axes are directions in the space of pooled embeddings (z-hat), at right angles and of length
one. Patients have no names here.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Bool, Float, Float64, Int64
from pacl.detect.bundled import KINDS, bundled_file
from pacl.detect.errors import DetectError
from pacl.stored import read_json

FORMAT = "pacl map 2"
SQUARE = 1e-3
"""So far from right angles and from length one the axes may be, for rounding."""


@dataclass(frozen=True, eq=False, slots=True)
class ReferenceMap:
    """Where the rhythms of reference patients lie.

    Parameters
    ----------
    axes
        The two directions of the map.
    origin
        The point that is drawn at (0, 0).
    centres
        Mean pooled embedding of each patient in AF, and of each without.
    af
        Which of the centres are AF.
    far_not_af, far_af
        For each rhythm, a distance beyond which it is unlike all of them: 99 % of the reference
        patients' centres lie closer to that of another patient in the same rhythm.
    """

    axes: Float64[Array, "2 feature"]
    origin: Float64[Array, "feature"]
    centres: Float64[Array, "centre feature"]
    af: Bool[Array, "centre"]
    far_not_af: float
    far_af: float

    @classmethod
    def bundled(cls, name: str) -> "ReferenceMap | None":
        """The map of bundled weights; None where they have none."""
        if "map.json" not in KINDS.get(name, ("map.json",)):
            return None
        return cls.read(bundled_file(name, "map.json"))

    def place(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "window 2"]:
        """Where embeddings lie on the map."""
        found: Float64[Array, "window 2"] = (self._same_space(pooled) - self.origin) @ self.axes.T
        return found

    def distances(self, point: Float[Array, "feature"]) -> Float64[Array, "centre"]:
        """How far a point is from each centre, by all numbers of the embedding."""
        found: Float64[Array, "centre"] = np.linalg.norm(
            self.centres - self._same_space(point[None]), axis=1
        )
        return found

    def nearest(self, point: Float[Array, "feature"], count: int) -> Int64[Array, "near"]:
        """Which centres are nearest to a point, the nearest first."""
        return np.argsort(self.distances(point), kind="stable")[:count]

    def is_far(self, point: Float[Array, "feature"], *, af: bool) -> bool:
        """Whether a point lies farther from all centres of a rhythm than those do from the next."""
        nearest = float(self.distances(point)[self.af == af].min(initial=np.inf))
        return nearest > (self.far_af if af else self.far_not_af)

    def _same_space(self, pooled: Float[Array, "window feature"]) -> Float64[Array, "_ feature"]:
        if pooled.shape[-1] != self.origin.size:
            raise DetectError(
                f"windows have {pooled.shape[-1]} pooled features, the map was made of "
                f"{self.origin.size}; use the map that was made with the weights"
            )
        return pooled.astype(np.float64)

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all; the same map gives the same bytes."""
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
        """Read what `write` wrote."""
        path = Path(path)
        stated = read_json(path, _Stated, _no_map, written_as=FORMAT)
        try:
            return cls._checked(stated)
        except ValueError as error:
            raise _no_map(path, str(error)) from error

    @classmethod
    def _checked(cls, stated: "_Stated") -> "ReferenceMap":
        """The map that a file states, once it is seen to fit together."""
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
    """What a file of a map holds."""

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

"""What systems said of windows, under the headings that it belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation import measure_auroc
from pacl.windows import WindowSet


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What a number is of."""

    study: str
    condition: str
    dataset: str
    method: str
    seed: int


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """What was said of the windows of one fold, or of all."""

    cell: Cell
    fold: int
    rows: Int64[Array, "window"]
    logit: Float64[Array, "window"]
    seconds: float
    geometry: Mapping[str, float | None]
    device: str


@dataclass(frozen=True, eq=False, slots=True)
class Told:
    """All that was said under a cell, one window once, and what the windows are."""

    cell: Cell
    labels: Int64[Array, "window"]
    patients: Int64[Array, "window"]
    names: tuple[str, ...]
    logit: Float64[Array, "window"]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, parts: Iterable[Part], windows: WindowSet) -> "Told":
        """Lay parts end to end, in the order of their windows."""
        parts = tuple(sorted(parts, key=lambda part: part.fold))
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        return cls(
            cell=parts[0].cell,
            labels=windows.table.rhythm[rows].astype(np.int64),
            patients=windows.table.patient.codes[rows].astype(np.int64),
            names=windows.table.patient.names,
            logit=np.concatenate([part.logit for part in parts])[order],
            parts=parts,
        )

    def of_patients(self) -> Float64[Array, "patient"]:
        """AUROC of each patient who has both rhythms."""
        found = []
        for code in np.unique(self.patients):
            rows = self.patients == code
            if np.unique(self.labels[rows]).size == 2:
                found.append(measure_auroc(self.labels[rows], self.logit[rows]))
        return np.array(found, dtype=np.float64)

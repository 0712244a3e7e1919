"""What systems said of windows, under the headings that it belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation import AurocPairs, count_pairs
from pacl.studies.errors import RunError
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
    """All that was said under a cell, one window once, and what the windows are.

    Parameters
    ----------
    models
        Which fold's model judged each window. Their scores have no common scale.
    pairs
        Of windows that one model judged.
    """

    cell: Cell
    labels: Int64[Array, "window"]
    patients: Int64[Array, "window"]
    logit: Float64[Array, "window"]
    models: Int64[Array, "window"]
    pairs: AurocPairs
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, parts: Iterable[Part], windows: WindowSet) -> "Told":
        """Lay parts end to end, in the order of their windows."""
        parts = tuple(sorted(parts, key=lambda part: part.fold))
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        if np.any(rows[1:] == rows[:-1]):
            raise RunError("rivals", f"{parts[0].cell} has windows judged twice", "study anew")
        labels = windows.table.rhythm[rows].astype(np.int64)
        patients = windows.table.patient.codes[rows].astype(np.int64)
        logit = np.concatenate([part.logit for part in parts])[order]
        models = np.repeat([part.fold for part in parts], [len(part.rows) for part in parts])[order]
        names = windows.table.patient.names
        return cls(
            cell=parts[0].cell,
            labels=labels,
            patients=patients,
            logit=logit,
            models=models,
            pairs=count_pairs(labels, logit, patients, names, models),
            parts=parts,
        )

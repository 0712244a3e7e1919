"""Predictions of systems, with the study, condition, dataset, method and seed they belong to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.evaluation import AurocPairs, Predictions
from pacl.rr import RRWindowSet
from pacl.studies.errors import RunError


@dataclass(frozen=True, slots=True, order=True)
class FitKey:
    """What a number is of."""

    study: str
    condition: str
    dataset: str
    method: str
    seed: int


@dataclass(frozen=True, eq=False, slots=True)
class FitPredictions:
    """Predictions of one fit: the windows of one fold, or all."""

    key: FitKey
    fold: int
    predictions: Predictions
    seconds: float
    geometry: Mapping[str, float | None]
    device: str


def fold_predictions(
    windows: RRWindowSet,
    rows: Int64[Array, "window"],
    logit: Float64[Array, "window"],
    fold: int,
) -> Predictions:
    """Logits of some rows of a window set, given by the model of a fold."""
    return Predictions(
        labels=windows.table.rhythm[rows].astype(np.int64),
        score=logit,
        subject=windows.table.patient[rows],
        scale="logit",
        models=np.full(len(rows), fold, dtype=np.int64),
        row=rows,
    )


@dataclass(frozen=True, eq=False, slots=True)
class MethodPredictions:
    """All predictions of one key, each window once, in the order of the window set.

    `pairs` are pairs of windows that one fit judged.
    """

    key: FitKey
    predictions: Predictions
    pairs: AurocPairs
    fits: tuple[FitPredictions, ...]

    @classmethod
    def of(cls, fits: Iterable[FitPredictions]) -> "MethodPredictions":
        """Join the fits of all folds."""
        fits = tuple(sorted(fits, key=lambda fit: fit.fold))
        found = Predictions.concat([fit.predictions for fit in fits]).in_order()
        if found.row is not None and np.any(np.diff(found.row) == 0):
            raise RunError(
                "rivals", f"{fits[0].key} has windows judged twice", "run the study again"
            )
        return cls(fits[0].key, found, found.pairs, fits)

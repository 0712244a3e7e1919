"""The confusion table, and what follows from it for each class and for all of them (3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from pacl.axes import Array, Int, Int64
from pacl.evaluation.classes import named_classes
from pacl.evaluation.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class ClassScores:
    """One class against all others.

    None where the denominator is 0: `precision` where the class was never predicted, `recall`
    where it has no windows, `f1` where both are so, `auroc` where all windows or none are of it.
    With two classes, both have the same AUROC.
    """

    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    windows: int
    auroc: float | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """What follows from a confusion table.

    Parameters
    ----------
    balanced_accuracy
        Mean recall of the classes that have windows.
    macro_f1
        Mean F1 of the classes that have windows or were predicted.
    """

    classes: tuple[ClassScores, ...]
    accuracy: float
    balanced_accuracy: float
    macro_f1: float


def count_confusion(
    labels: Int[Array, "window"], predicted: Int[Array, "window"], classes: int
) -> Int64[Array, "class predicted"]:
    """Windows of each class (row) that were predicted to be of each class (column)."""
    cells = np.bincount(classes * labels.astype(np.int64) + predicted, minlength=classes**2)
    return cells.reshape(classes, classes)


def score_confusion(
    table: Sequence[Sequence[int]] | Int[Array, "class predicted"],
    names: Sequence[str] | None = None,
) -> Scores:
    """Score a confusion table; `table[i][j]` counts windows of class i that were predicted j.

    Examples
    --------
    >>> found = score_confusion([[3, 1], [0, 4]], ["rest", "fist"])
    >>> found.accuracy, found.classes[0].recall, found.classes[1].precision
    (0.875, 0.75, 0.8)
    """
    cells = np.asarray(table)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.min() < 0 or not cells.any():
        raise EvaluationError(
            f"confusion table {cells.tolist()}; give a row and a column for each class, counts "
            "from 0 upwards, not all of them 0"
        )
    rows = cells.tolist()
    classes = tuple(
        _class_scores(
            name,
            found=rows[at][at],
            missed=sum(rows[at]) - rows[at][at],
            mistaken=sum(row[at] for row in rows) - rows[at][at],
        )
        for at, name in enumerate(named_classes(len(rows), names))
    )
    return Scores(
        classes=classes,
        accuracy=sum(rows[at][at] for at in range(len(rows))) / int(cells.sum()),
        balanced_accuracy=mean_of_known([one.recall for one in classes]) or 0.0,
        macro_f1=mean_of_known([one.f1 for one in classes]) or 0.0,
    )


def _class_scores(name: str, *, found: int, missed: int, mistaken: int) -> ClassScores:
    return ClassScores(
        name=name,
        precision=_ratio(found, found + mistaken),
        recall=_ratio(found, found + missed),
        f1=_ratio(2 * found, 2 * found + missed + mistaken),
        windows=found + missed,
    )


def _ratio(part: int, total: int) -> float | None:
    return part / total if total else None


def mean_of_known(values: Sequence[float | None]) -> float | None:
    """Mean of the values that are known; None without any."""
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None

"""The subjects a detector does worst on, by name."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int
from pacl.evaluation.errors import EvaluationError

COUNT = 5


@dataclass(frozen=True, slots=True)
class WorstSubject:
    """One subject: mean and standard deviation (ddof = 1) over seeds, windows of each class.

    Without at least two seeds there is no standard deviation. A low mean with a small `sd` is a
    subject whom no seed gets right; with a large one, some do.
    """

    subject: str
    mean: float
    sd: float | None
    seeds: int
    windows: tuple[int, ...]


def worst_subjects(
    values: Float64[Array, "seed subject"],
    names: Sequence[str],
    windows: Int[Array, "row class"],
    *,
    count: int = COUNT,
) -> tuple[WorstSubject, ...]:
    """The `count` subjects with the lowest mean over seeds, the worst first; higher is better."""
    seeds, subjects = values.shape
    lengths = (len(names), len(windows))
    if set(lengths) != {subjects} or not seeds or not subjects:
        raise EvaluationError(
            f"values of {seeds} seed(s) and {subjects} subject(s) with {lengths[0]} names and "
            f"{lengths[1]} counts of windows; give each subject one of each"
        )
    if count < 1:
        raise EvaluationError(f"{count} subjects to name; give a number from 1")
    unknown = [names[at] for at in np.flatnonzero(~np.isfinite(values).all(axis=0)).tolist()]
    if unknown:
        raise EvaluationError(
            f"subject {unknown[0]}: no finite value in some seed, as {len(unknown)} of {subjects} "
            "subjects; leave out those without both classes and report that"
        )
    means = values.mean(axis=0)
    order = sorted(range(subjects), key=lambda at: (float(means[at]), names[at]))
    return tuple(
        WorstSubject(
            subject=names[at],
            mean=float(means[at]),
            sd=float(values[:, at].std(ddof=1)) if seeds > 1 else None,
            seeds=seeds,
            windows=tuple(windows[at].tolist()),
        )
        for at in order[:count]
    )

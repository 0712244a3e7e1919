"""Classes by number: their names, their labels, and scores of two classes or of more."""

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from pacl.axes import Array, Float, Int
from pacl.evaluation.errors import EvaluationError

FEWEST = 2
"""Classes that must have windows, so that there is something to tell apart."""


@runtime_checkable
class Named(Protocol):
    """What is known of one class."""

    @property
    def name(self) -> str:
        """The name of the class."""


Row = TypeVar("Row", bound=Named)


def one_named(rows: Sequence[Row], name: str) -> Row:
    """The row of a class by its name."""
    for row in rows:
        if row.name == name:
            return row
    raise EvaluationError(f"no class {name!r}; there are {', '.join(row.name for row in rows)}")


def class_count(labels: Int[Array, "window"], names: Sequence[str] | None = None) -> int:
    """How many classes there are: one for each name, or up to the highest label."""
    if names is not None:
        return len(names)
    return max(FEWEST, int(labels.max(initial=0)) + 1)


def named_classes(count: int, names: Sequence[str] | None = None) -> tuple[str, ...]:
    """The name of each class; its number where no names are given."""
    shown = tuple(map(str, range(count) if names is None else names))
    if count < FEWEST or len(shown) != count or len(set(shown)) != count:
        raise EvaluationError(
            f"names {', '.join(shown) or 'none'} for {count} classes; give each of at least "
            f"{FEWEST} classes a name of its own"
        )
    return shown


def check_labels(labels: Int[Array, "window"], names: Sequence[str]) -> None:
    """Refuse labels that are not the number of a class."""
    foreign = np.flatnonzero((labels < 0) | (labels >= len(names)))
    if foreign.size:
        known = ", ".join(f"{at} ({name})" for at, name in enumerate(names))
        raise EvaluationError(
            f"{foreign.size} of {labels.size} windows have the label of no class, the first is "
            f"window {foreign[0]} with label {labels[foreign[0]]}, expected one of {known}; leave "
            "them out, or name their class"
        )


def check_several(labels: Int[Array, "window"], names: Sequence[str], what: str) -> None:
    """Refuse windows of fewer than two classes."""
    present = np.unique(labels).tolist()
    if len(present) < FEWEST:
        missing = ", ".join(name for at, name in enumerate(names) if at not in present)
        raise EvaluationError(
            f"none of {labels.size} windows is {missing}; {what} needs windows of at least "
            f"{FEWEST} classes, add subjects who have them"
        )


def of_two(score: Float[Array, "window *class"]) -> Float[Array, "window *kept"]:
    """Scores of two classes as those of the second alone; of more, one for each class."""
    return score[:, 1] if score.ndim == 2 and score.shape[1] == FEWEST else score

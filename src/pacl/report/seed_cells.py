"""What was measured here, as columns of means over seeds; collapsed runs are never hidden."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pacl.report.paper_values import loss_title
from pacl.report.table import Cell
from pacl.studies import Outcome, Outcomes


class Notes:
    """Notes of a table, each kept once."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> int:
        """The number of a note."""
        if text not in self._texts:
            self._texts.append(text)
        return self._texts.index(text)

    @property
    def texts(self) -> tuple[str, ...]:
        """All of them, in order."""
        return tuple(self._texts)


@dataclass(frozen=True, eq=False, slots=True)
class SeedColumn:
    """A loss over seeds, with the numbers of its notes.

    `of` is which seeds: all, of which none or some collapsed, or those that did not collapse.
    """

    title: str
    outcomes: tuple[Outcome, ...]
    of: Literal["all", "all, some collapsed", "not collapsed"] = "all"
    notes: tuple[int, ...] = ()

    def competes(self, key: str) -> bool:
        """Whether it can be the best: at detection with all seeds, so that failures count.

        In geometry without the collapsed ones, since nothing is as cohesive as a point.
        """
        if key.startswith("detection."):
            return self.of != "not collapsed"
        return self.of != "all, some collapsed"

    def cell(self, key: str, *, percent: bool = False) -> Cell:
        """A number by its dotted key; a dash where a seed has no value."""
        values = np.array([one.value(key) for one in self.outcomes], dtype=np.float64)
        values = values * 100 if percent else values
        mean = float(values.mean())
        return Cell(
            mean=None if np.isnan(mean) else mean,
            sd=float(values.std(ddof=1)) if values.size > 1 and not np.isnan(mean) else None,
            digits=2 if percent else 3,
            signed=key.endswith("centroid_similarity"),
        )


def seed_columns(outcomes: Outcomes, notes: Notes) -> tuple[SeedColumn, ...]:
    """One column per loss, and one more for a loss of which some but not all seeds collapsed."""
    return tuple(
        column for loss in outcomes.losses for column in _of_loss(outcomes, loss, notes.add)
    )


def _of_loss(outcomes: Outcomes, loss: str, add: Callable[[str], int]) -> list[SeedColumn]:
    title, each = loss_title(loss), outcomes.of(loss)
    kept = tuple(one for one in each if not one.collapsed)
    if len(kept) == len(each):
        return [SeedColumn(title, each)]
    lost = ", ".join(str(one.seed) for one in each if one.collapsed)
    many = len(each) > 1
    count = f"{len(each) - len(kept)} of {len(each)} seeds ({lost})" if many else f"seed {lost}"
    other = f"{title}, other {f'{len(kept)} seeds' if len(kept) > 1 else 'seed'}"
    note = add(
        f"{title}: {count} collapsed: all embeddings are a single point. Its cohesion is always 1, "
        "so it cannot be the best in geometry."
    )
    found = [SeedColumn(title, each, "all, some collapsed", (note,))]
    if kept:
        found.append(SeedColumn(other, kept, "not collapsed", (note,)))
    return found


def proposed_or_first(outcomes: Outcomes, loss: str) -> str:
    """The loss that is asked for, or the first of the study where it was not trained."""
    return loss if loss in outcomes.losses else outcomes.losses[0]


def seeds_text(outcomes: Outcomes) -> str:
    """How many seeds the numbers are over, for a caption."""
    seeds = len(outcomes.seeds)
    over = f"mean ± standard deviation over {seeds} seeds" if seeds > 1 else "one seed"
    folds = f", {outcomes.folds} folds each" if outcomes.folds > 1 else ""
    return over + folds

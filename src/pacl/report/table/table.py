"""A table as plain data: heads, rows of cells, notes; and which numbers are marked as best."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from pacl.errors import PaclError

MISSING = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column. Neighbours of the same `group` share a head above their own."""

    text: str
    group: str = ""
    notes: tuple[int, ...] = ()
    """Which notes of the table belong to it, counted from 0."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Words, or a mean and its standard deviation. An empty one, or NaN, is shown as a dash.

    Parameters
    ----------
    text
        Words; not together with a number.
    mean, sd
        A number, and its standard deviation where there is one.
    digits, signed
        How a number is printed: decimals, and whether with a plus.
    best
        Whether it is marked as the best of its row or column.
    paper
        Whether it was printed in the paper and not measured here.
    notes
        Which notes of the table belong to it, counted from 0.
    sort_by
        The number that words stand for, such as the seconds of `2 h 06 min`: a page sorts by it.
    """

    text: str = ""
    mean: float | None = None
    sd: float | None = None
    digits: int = 3
    signed: bool = False
    best: bool = False
    paper: bool = False
    notes: tuple[int, ...] = ()
    sort_by: float | None = None

    @property
    def number(self) -> float | None:
        """The mean, None where it is not known."""
        return None if self.mean is None or math.isnan(self.mean) else self.mean

    @property
    def spread(self) -> float | None:
        """The standard deviation, None where either it or the mean is not known."""
        if self.number is None or self.sd is None or math.isnan(self.sd):
            return None
        return self.sd

    @property
    def sort_value(self) -> float | None:
        """The number that a page sorts by; None for what is missing, and for mere words."""
        value = self.sort_by if self.mean is None else self.number
        return None if value is None or math.isnan(value) else float(value)

    @property
    def shown_number(self) -> str:
        """Words, or the number without its spread."""
        if self.number is None:
            return self.text or MISSING
        return f"{self.number:{'+' if self.signed else ''},.{self.digits}f}"

    @property
    def shown_spread(self) -> str:
        """The spread with its sign, or nothing."""
        return "" if self.spread is None else f" ± {self.spread:,.{self.digits}f}"

    @property
    def shown(self) -> str:
        """All of it."""
        return self.shown_number + self.shown_spread


def letter(note: int) -> str:
    """The sign of a note: a, b, ..., z, aa, ab and so on."""
    before, last = divmod(note, 26)
    return (letter(before - 1) if before else "") + chr(ord("a") + last)


def best_of(values: Sequence[float | None], better: int, digits: int = 3) -> set[int]:
    """Positions of the best numbers: the highest if `better` is 1, the lowest if it is -1.

    Numbers that are printed alike are equally good. There is no best if `better` is 0 or if fewer
    than two numbers are known.
    """
    known = {
        at: round(value * better, digits)
        for at, value in enumerate(values)
        if value is not None and not math.isnan(value)
    }
    if len(known) < 2 or not better:
        return set()
    return {at for at, value in known.items() if value == max(known.values())}


class TableError(PaclError):
    """A table whose parts do not fit together."""


@dataclass(frozen=True, slots=True)
class Table:
    """Heads, rows of cells, and notes below them.

    Parameters
    ----------
    title, caption
        What it shows, and how to read it.
    heads
        One for each column.
    rows
        Cells, as many in each as there are heads; the first is what the row is about.
    notes
        Printed below the table; cells and heads refer to them by number.
    rules
        Rows above which a line is drawn. A page sorts rows only between lines.
    sortable
        Whether a reader may sort it. Not useful where each row is another kind of number.

    Examples
    --------
    >>> row = (Cell("AUROC"), Cell(mean=0.989, sd=0.003, best=True), Cell(mean=0.983))
    >>> table = Table("Losses", "", (Head(""), Head("proposed"), Head("SupCon")), (row,))
    >>> [cell.shown for cell in table.rows[0]]
    ['AUROC', '0.989 ± 0.003', '0.983']
    """

    title: str
    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    sortable: bool = True

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.heads):
                raise TableError(
                    f"{self.title}: row {number} has {len(row)} cells, expected "
                    f"{len(self.heads)}, one for each head"
                )
        parts: list[Cell | Head] = [*self.heads, *(cell for row in self.rows for cell in row)]
        missing = {note for part in parts for note in part.notes if note >= len(self.notes)}
        if missing:
            raise TableError(
                f"{self.title}: refers to note {min(missing)}, but has {len(self.notes)} notes"
            )

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers."""
        return tuple(
            any(row[at].mean is not None for row in self.rows) for at in range(len(self.heads))
        )

    @property
    def sorts(self) -> bool:
        """Whether a page offers to sort it: three rows between two lines are the least."""
        ends = sorted({0, *self.rules, len(self.rows)})
        return self.sortable and any(b - a >= 3 for a, b in itertools.pairwise(ends))

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Heads above the heads, and how many columns each spans; empty if no head has one."""
        found: list[tuple[str, int]] = []
        for head in self.heads:
            if found and found[-1][0] == head.group and head.group:
                found[-1] = (head.group, found[-1][1] + 1)
            else:
                found.append((head.group, 1))
        return tuple(found) if any(name for name, _ in found) else ()

    def classes(self, at: int, cell: Cell | None = None) -> list[str]:
        """Classes of a column, or of a cell in it, for the style sheet."""
        left, right = (self.heads[max(place, 0)].group for place in (at - 1, at))
        named = {
            "number": any(row[at].mean is not None for row in self.rows),
            "start": bool(left) and left != right,
            "best": cell is not None and cell.best,
            "paper": cell is not None and cell.paper,
        }
        return [name for name, present in named.items() if present]

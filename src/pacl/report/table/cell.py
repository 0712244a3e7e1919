"""What stands in one place of a table: words, or a number with its spread over seeds."""

import math
from dataclasses import dataclass

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
    """Words, or a mean and its standard deviation. Neither, or NaN, is shown as a dash.

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
    """

    text: str = ""
    mean: float | None = None
    sd: float | None = None
    digits: int = 3
    signed: bool = False
    best: bool = False
    paper: bool = False
    notes: tuple[int, ...] = ()

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

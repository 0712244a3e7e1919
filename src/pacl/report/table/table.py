"""A table as plain data."""

from dataclasses import dataclass

from pacl.errors import PaclError
from pacl.report.table.cell import Cell, Head


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
        One a column.
    rows
        Cells, as many in each as there are heads; the first is what the row is about.
    notes
        Said below the table; cells and heads refer to them by number.
    rules
        Rows above which a line is drawn.

    Examples
    --------
    >>> row = (Cell("AUROC"), Cell(mean=0.989, sd=0.003, best=True), Cell(mean=0.983))
    >>> table = Table("Losses", "", (Head(""), Head("proposed"), Head("SupCon")), (row,))
    >>> print(table.to_csv(), end="")
    ,proposed mean,proposed sd,SupCon
    AUROC,0.989,0.003,0.983
    """

    title: str
    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()

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
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Heads above the heads, and how many columns each spans; none where all are empty."""
        found: list[tuple[str, int]] = []
        for head in self.heads:
            if found and found[-1][0] == head.group and head.group:
                found[-1] = (head.group, found[-1][1] + 1)
            else:
                found.append((head.group, 1))
        return tuple(found) if any(name for name, _ in found) else ()

    def to_markdown(self) -> str:
        """A table that GitHub and MkDocs show."""
        from pacl.report.table.as_markdown import table_markdown

        return table_markdown(self)

    def to_latex(self) -> str:
        """A `table` environment; needs the package booktabs."""
        from pacl.report.table.as_latex import table_latex

        return table_latex(self)

    def to_csv(self) -> str:
        """Numbers in full, standard deviations in columns of their own."""
        from pacl.report.table.as_csv import table_csv

        return table_csv(self)

    def to_html(self) -> str:
        """A figure element that scrolls by itself where it is too wide."""
        from pacl.report.table.as_html import table_html

        return table_html(self)

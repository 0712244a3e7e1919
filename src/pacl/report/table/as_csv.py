"""A table as comma-separated values, for programs."""

import csv
import io

from pacl.printable import plain_cell
from pacl.report.table.table import Table


def table_csv(table: Table) -> str:
    """A column of means is followed by one of standard deviations where some cell has one.

    What is not known is empty. Notes and marks are left out.
    """
    columns = range(len(table.heads))
    spread = [any(row[at].spread is not None for row in table.rows) for at in columns]
    heads: list[str] = []
    for at, head in enumerate(table.heads):
        name = plain_cell(_words(": ".join(part for part in (head.group, head.text) if part)))
        heads += [f"{name} mean", f"{name} sd"] if spread[at] else [name]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(heads)
    for row in table.rows:
        values: list[str | float | None] = []
        for at, cell in enumerate(row):
            number = cell.number
            values.append(
                plain_cell(_words(cell.text), figures=True) if number is None else _plain(number)
            )
            if spread[at]:
                values.append(cell.spread)
        writer.writerow(values)
    return written.getvalue()


def _words(text: str) -> str:
    """Without the arrow that shows which way is better."""
    return text.removesuffix(" ↑").removesuffix(" ↓")


def _plain(number: float) -> str | float:
    """Counts without a decimal point."""
    return str(int(number)) if float(number).is_integer() else number

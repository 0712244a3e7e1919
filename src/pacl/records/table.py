"""Small CSV tables whose columns are read by name, never by position."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pacl.records.errors import FormatError

MAX_TABLE_BYTES = 16 * 1024**2
"""A table of records or episodes is far smaller: IRIDIA-AF's metadata have 20 kB."""

MAX_ROWS = 200_000
"""More patients, records or episodes than any study has; each row is held in memory."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, with its line for messages."""

    source: Path
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def get(self, column: str) -> str | None:
        """The cell, or None where the table has no such column."""
        return self.cells.get(column)

    def integer(self, column: str) -> int:
        """The cell as a whole number."""
        try:
            value = float(self.cells[column])
            if value != int(value) or abs(value) > 2**53:
                raise ValueError
        except (ValueError, OverflowError):
            raise FormatError(
                self.source,
                f"line {self.line}: {column} is {self.cells[column]!r}, expected a whole number",
                "repair the line or fetch the file again",
            ) from None
        return int(value)


def read_table(content: bytes, source: Path, columns: Sequence[str], what: str) -> list[Row]:
    """Read a comma-separated table with a header that has at least `columns`."""
    try:
        lines = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        header = [name.strip() for name in next(lines, [])]
        absent = [name for name in columns if name not in header]
        if absent or len(set(header)) != len(header):
            raise FormatError(
                source,
                f"{what} with the columns {header}, expected {list(columns)} among them, each once",
                f"add {', '.join(absent)}" if absent else "remove the doubled column",
            )
        rows: list[Row] = []
        for cells in lines:
            if not cells:
                continue
            if len(rows) >= MAX_ROWS:
                raise FormatError(
                    source,
                    f"{what} of more than {MAX_ROWS:,} rows",
                    "check that it is the right file",
                )
            if len(cells) != len(header):
                raise FormatError(
                    source,
                    f"line {lines.line_num} has {len(cells)} cells, the header {len(header)}",
                    "repair the line or fetch the file again, it may be cut",
                )
            stripped = (cell.strip() for cell in cells)
            rows.append(Row(source, lines.line_num, dict(zip(header, stripped, strict=True))))
        return rows
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(
            source, f"{what} is not CSV ({error})", "fetch the file again or save it as UTF-8 CSV"
        ) from error

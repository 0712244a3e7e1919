"""Tables of means over seeds as plain data, and as Markdown, LaTeX and CSV.

`pacl.report.page` shows them as HTML.
"""

from pacl.report.table.formats import (
    escape_markdown,
    save_table,
    table_csv,
    table_latex,
    table_markdown,
)
from pacl.report.table.table import Cell, Head, Table, TableError, best_of, letter

__all__ = [
    "Cell",
    "Head",
    "Table",
    "TableError",
    "best_of",
    "escape_markdown",
    "letter",
    "save_table",
    "table_csv",
    "table_latex",
    "table_markdown",
]

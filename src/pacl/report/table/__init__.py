"""Tables of means over seeds as plain data, and as Markdown, LaTeX and CSV.

`pacl.report.page` shows them as HTML.
"""

from pacl.report.table.as_csv import table_csv
from pacl.report.table.as_latex import table_latex
from pacl.report.table.as_markdown import escape_markdown, table_markdown
from pacl.report.table.save import save_table
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

"""Tables of means over seeds, as plain data, then as Markdown, LaTeX, CSV or HTML."""

from pacl.report.table.best import best_of
from pacl.report.table.cell import Cell, Head
from pacl.report.table.table import Table, TableError

__all__ = ["Cell", "Head", "Table", "TableError", "best_of"]

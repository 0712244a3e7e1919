"""A table on disk, in every format."""

from pathlib import Path

from pacl.atomic_write import atomic_write
from pacl.report.table.as_csv import table_csv
from pacl.report.table.as_latex import table_latex
from pacl.report.table.as_markdown import table_markdown
from pacl.report.table.table import Table

FORMATS = {"md": table_markdown, "tex": table_latex, "csv": table_csv}


def save_table(table: Table, folder: Path, name: str) -> None:
    """Write a table as Markdown, LaTeX and CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, written in FORMATS.items():
        atomic_write(folder / f"{name}.{ending}", written(table).encode())

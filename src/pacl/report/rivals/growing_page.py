"""A page of Markdown that grows block by block, with its tables and figures beside it."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.atomic_write import atomic_write
from pacl.report.figures.saved import save_published
from pacl.report.table import Table
from pacl.report.table.as_markdown import escape_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "report.md"


def slug(name: str) -> str:
    """A name as a part of a file's."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


@dataclass(slots=True)
class GrowingPage:
    """A page that grows; tables and figures are written as they are added."""

    target: Path
    blocks: list[str] = field(default_factory=list)

    def add(self, markdown: str) -> None:
        """Add Markdown as it is."""
        self.blocks.append(markdown)

    def say(self, words: str) -> None:
        """Add words, in which nothing is markup."""
        if words:
            self.blocks.append(escape_markdown(words))

    def keep(self, name: str, table: Table) -> None:
        """Write a table that is not shown on the page."""
        for ending, text in (
            ("csv", table.to_csv()),
            ("md", table.to_markdown()),
            ("tex", table.to_latex()),
        ):
            atomic_write(self.target / "tables" / f"{name}.{ending}", text.encode())

    def table(self, name: str, table: Table) -> None:
        """Write a table and show it."""
        self.keep(name, table)
        self.blocks.append(table.to_markdown().rstrip())

    def figure(self, name: str, figure: "Figure", caption: str) -> None:
        """Write a figure and show it."""
        save_published(figure, self.target / "figures", name)
        words = escape_markdown(caption)
        self.blocks.append(f"![{words}](figures/{name}.svg)\n\n*{words}*")

    def write(self) -> Path:
        """Write the page; gives the file."""
        path = self.target / PAGE
        atomic_write(path, ("\n\n".join(self.blocks) + "\n").encode())
        return path

"""A page: one HTML file that needs nothing else, or Markdown with figures beside it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from pathlib import Path

from pacl.atomic_write import atomic_write
from pacl.report.page.block import Block, PageError
from pacl.report.page.figure import FigureBlock
from pacl.report.page.inline import inline_html, inline_markdown
from pacl.report.page.words import Details, Heading
from pacl.report.table.as_markdown import escape_markdown


@dataclass(frozen=True, slots=True)
class Page:
    """Blocks under a title.

    Parameters
    ----------
    title, lead
        What it is about, and a sentence or two under it.
    blocks
        What it says, in order.
    footer
        Where it came from, in small print.

    Examples
    --------
    >>> page = Page("Three losses", (Heading("Results"),), lead="On **unseen** patients.")
    >>> print(page.to_markdown({}), end="")
    # Three losses
    <BLANKLINE>
    On **unseen** patients.
    <BLANKLINE>
    ## Results
    """

    title: str
    blocks: tuple[Block, ...]
    lead: str = ""
    footer: str = ""

    def __post_init__(self) -> None:
        names = [one.name for one in self.figures()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise PageError(f"{self.title}: several figures are called {', '.join(twice)}")

    def figures(self) -> tuple[FigureBlock, ...]:
        """All figures, also those that are folded away."""
        return tuple(_figures(self.blocks))

    def to_html(self) -> str:
        """A whole document: style, script and pictures are within it."""
        blocks = _anchored(self.blocks)
        lead = f'<p class="lead">{inline_html(self.lead)}</p>' if self.lead else ""
        footer = f"<footer><p>{inline_html(self.footer)}</p></footer>" if self.footer else ""
        return _resource("page.html").format(
            title=escape(self.title),
            style=_resource("page.css"),
            script=_resource("page.js"),
            contents=_contents([block for block in blocks if isinstance(block, Heading)]),
            lead=lead,
            blocks="\n".join(block.to_html() for block in blocks),
            footer=footer,
        )

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """The same in Markdown; `figure_paths` gives the relative path of each figure by name."""
        parts = [f"# {escape_markdown(self.title)}\n"]
        parts += [f"{inline_markdown(self.lead)}\n"] if self.lead else []
        parts += [block.to_markdown(figure_paths) for block in self.blocks]
        parts += [f"---\n\n{inline_markdown(self.footer)}\n"] if self.footer else []
        return "\n".join(parts)

    def write(self, folder: Path) -> None:
        """Write `report.html`, `report.md` and `figures/` into a folder, over older ones."""
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        paths = {one.name: f"figures/{one.file_name}" for one in self.figures()}
        for one in self.figures():
            atomic_write(folder / paths[one.name], one.content)
        atomic_write(folder / "report.md", self.to_markdown(paths).encode())
        atomic_write(folder / "report.html", self.to_html().encode())


def _figures(blocks: Sequence[Block]) -> Iterator[FigureBlock]:
    for block in blocks:
        if isinstance(block, FigureBlock):
            yield block
        elif isinstance(block, Details):
            yield from _figures(block.blocks)


def _anchored(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks, each heading with an anchor that no other has."""
    taken: set[str] = {"contents", "top"}
    found: list[Block] = []
    for block in blocks:
        if not isinstance(block, Heading):
            found.append(block)
            continue
        plain = unicodedata.normalize("NFKD", block.text).encode("ascii", "ignore").decode().lower()
        start = anchor = block.anchor or re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "section"
        number = 2
        while anchor in taken:
            anchor, number = f"{start}-{number}", number + 1
        taken.add(anchor)
        found.append(replace(block, anchor=anchor))
    return found


def _contents(headings: Sequence[Heading]) -> str:
    """Links to all headings."""
    return "\n".join(
        f'<li class="level-{one.level}"><a href="#{escape(one.anchor, quote=True)}">'
        f"{escape(one.text)}</a></li>"
        for one in headings
    )


def _resource(name: str) -> str:
    return files("pacl.report.page").joinpath(name).read_text("utf-8")

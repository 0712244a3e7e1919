"""A page: one HTML file that needs nothing else, or Markdown with figures beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pacl.atomic_write import atomic_write
from pacl.report.page.blocks import Block, Details, FigureBlock, Heading, PageError
from pacl.report.page.inlined import content_policy
from pacl.report.page.markdown import blocks_markdown, inline_markdown
from pacl.report.page.templates import asset, render
from pacl.report.table import escape_markdown
from pacl.report.wording import slug

STYLES = ("page.css",)
SCRIPTS = ("page.js", "tables.js")
"""What is written into every page, in this order."""


@dataclass(frozen=True, slots=True)
class Page:
    """Blocks under a title.

    Parameters
    ----------
    title, lead
        What it is about, and a sentence or two under it.
    blocks
        The content, in order.
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
        """A complete document with its style, script and pictures."""
        blocks = _anchored(self.blocks)
        headings = [block for block in blocks if isinstance(block, Heading)]
        styles, scripts = [asset(one) for one in STYLES], [asset(one) for one in SCRIPTS]
        return render(
            "page.html",
            page=self,
            blocks=blocks,
            headings=headings,
            styles=styles,
            scripts=scripts,
            policy=content_policy(scripts, styles),
        )

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """The same in Markdown; `figure_paths` gives the relative path of each figure by name."""
        parts = [f"# {escape_markdown(self.title)}\n"]
        parts += [f"{inline_markdown(self.lead)}\n"] if self.lead else []
        parts += [blocks_markdown(self.blocks, figure_paths)] if self.blocks else []
        parts += [f"---\n\n{inline_markdown(self.footer)}\n"] if self.footer else []
        return "\n".join(parts)

    def write(self, folder: Path) -> Path:
        """Write `report.html`, `report.md` and `figures/` into a folder; gives the HTML file."""
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        paths = {one.name: f"figures/{one.file_name}" for one in self.figures()}
        for one in self.figures():
            atomic_write(folder / paths[one.name], one.content)
        atomic_write(folder / "report.md", self.to_markdown(paths).encode())
        atomic_write(folder / "report.html", self.to_html().encode())
        return folder / "report.html"


def _figures(blocks: Sequence[Block]) -> Iterator[FigureBlock]:
    for block in blocks:
        if isinstance(block, FigureBlock):
            yield block
        elif isinstance(block, Details):
            yield from _figures(block.blocks)


def _anchored(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks, each heading with a unique anchor."""
    taken: set[str] = {"contents", "top"}
    found: list[Block] = []
    for block in blocks:
        if not isinstance(block, Heading):
            found.append(block)
            continue
        start = anchor = block.anchor or slug(block.text) or "section"
        number = 2
        while anchor in taken:
            anchor, number = f"{start}-{number}", number + 1
        taken.add(anchor)
        found.append(replace(block, anchor=anchor))
    return found

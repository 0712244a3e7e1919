"""Headings, paragraphs, commands, tables, remarks, and what is folded away."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from pacl.report.page.block import Block, PageError
from pacl.report.page.inline import inline_html, inline_markdown
from pacl.report.table import Table
from pacl.report.table.as_markdown import escape_markdown


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a section (`level` 2) or of a part of one (3); the title of a page is 1.

    `anchor` is what links to it name; a page gives one to every heading of its own.
    """

    text: str
    level: int = 2
    anchor: str = ""

    def __post_init__(self) -> None:
        if self.level not in (2, 3):
            raise PageError(f"heading {self.text!r}: level {self.level}, expected 2 or 3")

    def to_html(self) -> str:
        """An h2 or h3."""
        name = f' id="{escape(self.anchor, quote=True)}"' if self.anchor else ""
        return f"<h{self.level}{name}>{escape(self.text)}</h{self.level}>"

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """With as many hashes as its level."""
        return f"{'#' * self.level} {escape_markdown(self.text)}\n"


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs between empty lines, with the markup of `inline`.

    A paragraph all of whose lines begin with `- ` is a list.
    """

    text: str

    def to_html(self) -> str:
        """Paragraphs and lists."""
        done = []
        for paragraph in self._paragraphs():
            items = _items(paragraph)
            if items:
                listed = "".join(f"<li>{inline_html(item)}</li>" for item in items)
                done.append(f"<ul>{listed}</ul>")
            else:
                done.append(f"<p>{inline_html(paragraph)}</p>")
        return "\n".join(done)

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """Paragraphs and lists."""
        done = []
        for paragraph in self._paragraphs():
            items = _items(paragraph)
            lines = [f"- {inline_markdown(item)}" for item in items]
            done.append("\n".join(lines) if items else _no_list(inline_markdown(paragraph)))
        return "\n\n".join(done) + "\n"

    def _paragraphs(self) -> list[str]:
        return [part for part in re.split(r"\n\s*\n", self.text.strip()) if part]


def _items(paragraph: str) -> list[str]:
    """The items of a list, none if it is a paragraph."""
    lines = [line.strip() for line in paragraph.splitlines()]
    return [line[2:] for line in lines] if all(line.startswith("- ") for line in lines) else []


def _no_list(line: str) -> str:
    """A paragraph that Markdown would take for a list or a rule, as the words that it is."""
    return re.sub(r"^(\d+)([.)])|^([-+=])", r"\1\\\2\3", line)


@dataclass(frozen=True, slots=True)
class Code:
    """Commands to copy."""

    text: str

    def to_html(self) -> str:
        """Preformatted."""
        return f'<pre tabindex="0"><code>{escape(self.text.strip())}</code></pre>'

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """Fenced, by more backticks than the text has in a row."""
        longest = max((len(run) for run in re.findall("`+", self.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}sh\n{self.text.strip()}\n{fence}\n"


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table."""

    table: Table

    def to_html(self) -> str:
        """In a box that scrolls by itself."""
        return self.table.to_html()

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """With its notes."""
        return self.table.to_markdown()


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that is set apart."""

    text: str
    title: str = "Note"

    def to_html(self) -> str:
        """Beside the text in meaning, within it in place."""
        title = f'<p class="label">{escape(self.title)}</p>'
        return f'<aside class="note">{title}{Text(self.text).to_html()}</aside>'

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """Quoted."""
        said = f"**{escape_markdown(self.title)}**\n\n" + Text(self.text).to_markdown({})
        return "".join(f"> {line}".rstrip() + "\n" for line in said.splitlines())


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that are folded away until somebody asks."""

    summary: str
    blocks: tuple[Block, ...]

    def to_html(self) -> str:
        """Folded."""
        inner = "\n".join(block.to_html() for block in self.blocks)
        return (
            f"<details><summary>{escape(self.summary)}</summary>\n"
            f'<div class="inner">\n{inner}\n</div></details>'
        )

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """Folded, where Markdown is shown as HTML."""
        inner = "\n".join(block.to_markdown(figure_paths) for block in self.blocks)
        return f"<details>\n<summary>{escape(self.summary)}</summary>\n\n{inner}\n</details>\n"

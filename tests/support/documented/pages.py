"""The pages of the documents, and the blocks of code in them."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGES = tuple(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
    if path.parent.name != "notebooks"  # written by notebooks, which have tests of their own
)
"""Every page, by its path from the root of the repository."""

SHELL, PYTHON = ("sh", "bash", "console", "shell"), ("python", "py")
_BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```[ ]*$", re.MULTILINE | re.DOTALL)
_SECTION = r"^( *)<!-- begin {} -->\n(.*?)^ *<!-- end {} -->$"
"""A part that `docs/figures` writes."""


@dataclass(frozen=True)
class Block:
    """A block of code."""

    page: str
    line: int
    """The line of the page on which its content begins."""
    language: str
    text: str

    @property
    def place(self) -> str:
        """For messages."""
        return f"{self.page}:{self.line}"


@cache
def text_of(page: str) -> str:
    """A page as it is written."""
    return (ROOT / page).read_text("utf-8")


def section(page: str, name: str) -> str:
    """A part of a page that a program writes, without its indent."""
    name = re.escape(name)
    [found] = re.finditer(_SECTION.format(name, name), text_of(page), re.MULTILINE | re.DOTALL)
    return textwrap.dedent(found[2]).strip()


def blocks(page: str, languages: tuple[str, ...] = SHELL + PYTHON) -> Iterator[Block]:
    """The blocks of a page, in its order, also those that are indented; not those of examples."""
    example = _SECTION.format(r"(examples/\S+)", r"\2")
    text = re.sub(
        example,
        lambda found: "\n" * found[0].count("\n"),
        text_of(page),
        flags=re.MULTILINE | re.DOTALL,
    )
    for found in _BLOCK.finditer(text):
        indent, language, content = found.groups()
        if language in languages:
            lines = [line.removeprefix(indent) for line in content.splitlines()]
            line = text[: found.start()].count("\n") + 2
            yield Block(page, line, language, "\n".join(lines) + "\n")


@cache
def prose(page: str) -> str:
    """A page without its blocks; its lines keep their numbers."""
    return _BLOCK.sub(lambda found: "\n" * found[0].count("\n"), text_of(page))


def in_backticks(page: str) -> Iterator[tuple[str, str]]:
    """The place and the content of whatever stands in backticks in the prose of a page."""
    for number, line in enumerate(prose(page).splitlines(), 1):
        for content in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
            yield f"{page}:{number}", content

"""What a page is made of: plain data, which the templates show as HTML and `markdown` as Markdown.

Texts may have the markup of `inline`: **bold**, `code`, [link](address).
"""

import base64
import re
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pacl.errors import PaclError
from pacl.report.style import figure_bytes, figure_style, recording_style, save_figure
from pacl.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

PNG = b"\x89PNG\r\n\x1a\n"
PAGE_DPI = 180
LARGEST_SVG = 400_000
"""Bytes above which a page takes the PNG instead of the SVG."""
LONGEST_REASON = 160
"""Characters above which the reason of a claim is folded away."""


class PageError(PaclError):
    """A page that cannot be made of what was given."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a section (`level` 2) or subsection (3); the title of a page is level 1.

    `anchor` is the target of links; the page sets it.
    """

    kind: ClassVar = "heading"
    text: str
    level: int = 2
    anchor: str = ""

    def __post_init__(self) -> None:
        if self.level not in (2, 3):
            raise PageError(f"heading {self.text!r}: level {self.level}, expected 2 or 3")


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs between empty lines; one whose lines all begin with `- ` is a list."""

    kind: ClassVar = "text"
    text: str


def paragraphs(text: str) -> list[tuple[str, list[str]]]:
    """The paragraphs of a text, each with its list items; none unless it is a list."""
    found = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return [(part, _items(part)) for part in found]


def _items(paragraph: str) -> list[str]:
    lines = [line.strip() for line in paragraph.splitlines()]
    return [line[2:] for line in lines] if all(line.startswith("- ") for line in lines) else []


@dataclass(frozen=True, slots=True)
class Code:
    """Commands to copy."""

    kind: ClassVar = "code"
    text: str


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table."""

    kind: ClassVar = "table"
    table: Table


@dataclass(frozen=True, slots=True)
class Note:
    """A remark in a box."""

    kind: ClassVar = "note"
    text: str
    title: str = "Note"


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number, its name, and a number to compare it with."""

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """The main numbers side by side, for a reader who has ten seconds."""

    kind: ClassVar = "key_figures"
    figures: tuple[KeyFigure, ...]


class Verdict(Enum):
    """Whether a claim holds: a name for the style sheet, a sign and words; colour only repeats."""

    HOLDS = ("holds", "✓", "Holds")
    FAILS = ("fails", "✗", "Does not hold")
    OPEN = ("open", "?", "Inconclusive")

    def __init__(self, key: str, sign: str, words: str) -> None:
        self.key, self.sign, self.words = key, sign, words


@dataclass(frozen=True, slots=True)
class ClaimBlock:
    """A claim of the paper: its numbers, those measured here, whether it holds and why.

    `source` is the place in the paper, or empty.
    """

    kind: ClassVar = "claim"
    claim: str
    paper: str
    ours: str
    verdict: Verdict
    reason: str
    source: str = ""

    @property
    def folded(self) -> bool:
        """Whether the reason is so long that it is folded away."""
        return len(self.reason) > LONGEST_REASON


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """An SVG or PNG: inside the page as HTML, a file beside it as Markdown.

    Parameters
    ----------
    name
        Its file name without ending; unique on a page.
    content
        The bytes of the file.
    alt
        What it shows, for screen readers.
    caption
        Text below it.
    wide
        Whether it may be wider than the text.
    """

    kind: ClassVar = "figure"
    name: str
    content: bytes = field(repr=False)
    alt: str
    caption: str = ""
    wide: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise PageError(f"figure {self.name!r}: expected letters, digits, - and _ as its name")
        if not self.alt.strip():
            raise PageError(f"figure {self.name}: no alt text; describe what it shows")
        if not self.content.startswith(PNG) and b"<svg" not in self.content[:1000]:
            raise PageError(f"figure {self.name}: neither PNG nor SVG")

    @classmethod
    def read(cls, path: Path, alt: str, caption: str = "", wide: bool = False) -> "FigureBlock":
        """Read a file; its name becomes the figure's."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise PageError(f"{path}: cannot be read ({error}); draw it first") from error
        return cls(path.stem, content, alt, caption, wide)

    @property
    def file_name(self) -> str:
        """With its ending."""
        return f"{self.name}.{'png' if self.content.startswith(PNG) else 'svg'}"

    @property
    def data_uri(self) -> str:
        """The content as an address: pictures on one page cannot disturb each other."""
        media = "png" if self.content.startswith(PNG) else "svg+xml"
        return f"data:image/{media};base64,{base64.b64encode(self.content).decode()}"


def save_published(
    figure: "Figure", folder: Path, name: str, alt: str, caption: str = "", *, wide: bool = False
) -> FigureBlock:
    """Write a figure as SVG and PNG; gives the block that shows one of them."""
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    with figure_style():
        save_figure(figure, svg)
        save_figure(figure, png)
    shown = svg if svg.stat().st_size <= LARGEST_SVG else png
    return FigureBlock.read(shown, alt, caption, wide)


def recording_block(
    name: str, draw: "Callable[[], Figure]", alt: str, caption: str
) -> FigureBlock | Note:
    """A figure of a recording; no file is written. Without matplotlib, a note in its place."""
    try:
        import matplotlib as mpl  # noqa: F401 - only whether it is there
    except ModuleNotFoundError:
        return Note(f"{alt}: pictures need matplotlib; `pip install 'pacl[plots]'`.", "Not drawn")
    with recording_style():
        figure = draw()
        content = figure_bytes(figure, ".svg", dpi=PAGE_DPI)
        if len(content) > LARGEST_SVG:
            content = figure_bytes(figure, ".png", dpi=PAGE_DPI)
    return FigureBlock(name, content, alt, caption)


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that are folded away until the reader opens them."""

    kind: ClassVar = "details"
    summary: str
    blocks: "tuple[Block, ...]"


Block = Heading | Text | Code | TableBlock | Note | KeyFigures | ClaimBlock | FigureBlock | Details

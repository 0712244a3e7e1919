"""A picture: within the page as HTML, beside it as Markdown."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from pacl.report.page.block import PageError
from pacl.report.page.inline import inline_html, inline_markdown
from pacl.report.table.as_markdown import escape_markdown

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """An SVG or PNG.

    Parameters
    ----------
    name
        What its file is called, without ending; each figure of a page has its own.
    content
        The file.
    alt
        What it shows, for those who do not see it.
    caption
        Below it, with the markup of `inline`.
    wide
        Whether it may be wider than the text.
    """

    name: str
    content: bytes = field(repr=False)
    alt: str
    caption: str = ""
    wide: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise PageError(f"figure {self.name!r}: expected letters, digits, - and _ as its name")
        if not self.alt.strip():
            raise PageError(f"figure {self.name}: no alt text; say what it shows")
        if not self.content.startswith(PNG) and b"<svg" not in self.content[:1000]:
            raise PageError(f"figure {self.name}: neither PNG nor SVG")

    @classmethod
    def read(cls, path: Path, alt: str, caption: str = "", wide: bool = False) -> "FigureBlock":
        """A file, by whose name it is known."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise PageError(f"{path}: cannot be read ({error}); draw it first") from error
        return cls(path.stem, content, alt, caption, wide)

    @property
    def file_name(self) -> str:
        """What to call its file."""
        return f"{self.name}.{'png' if self.content.startswith(PNG) else 'svg'}"

    def to_html(self) -> str:
        """As an image that holds its own data: pictures on one page cannot disturb each other."""
        kind = "png" if self.content.startswith(PNG) else "svg+xml"
        data = base64.b64encode(self.content).decode()
        caption = f"<figcaption>{inline_html(self.caption)}</figcaption>" if self.caption else ""
        return (
            f'<figure class="picture{" wide" * self.wide}">'
            f'<div class="card"><img alt="{escape(self.alt, quote=True)}" '
            f'src="data:image/{kind};base64,{data}"></div>{caption}</figure>'
        )

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """As a link to its file."""
        if self.name not in figure_paths:
            raise PageError(f"figure {self.name}: no path given; there are {sorted(figure_paths)}")
        link = f"![{escape_markdown(self.alt)}]({figure_paths[self.name].replace(' ', '%20')})\n"
        return link + (f"\n{inline_markdown(self.caption)}\n" if self.caption else "")

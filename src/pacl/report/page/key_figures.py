"""The main numbers as a strip, for a reader who has ten seconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from pacl.report.page.inline import inline_html, inline_markdown
from pacl.report.table.as_markdown import escape_markdown


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number, what it is, and what to hold it against."""

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """Up to six or so, side by side."""

    figures: tuple[KeyFigure, ...]

    def to_html(self) -> str:
        """A list of terms; the number is set above its name by the style sheet."""
        cells = []
        for one in self.figures:
            note = f'<dd class="against">{inline_html(one.note)}</dd>' if one.note else ""
            number, sign, spread = escape(one.value).partition(" ± ")
            small = f'<span class="sd">{sign}{spread}</span>' if sign else ""
            cells.append(
                f"<div><dt>{escape(one.label)}</dt>"
                f'<dd class="value">{number}{small}</dd>{note}</div>'
            )
        return '<dl class="key-figures">\n' + "\n".join(cells) + "\n</dl>"

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """A list."""
        lines = []
        for one in self.figures:
            note = f" ({inline_markdown(one.note)})" if one.note else ""
            lines.append(f"- {escape_markdown(one.label)}: **{escape_markdown(one.value)}**{note}")
        return "\n".join(lines) + "\n"

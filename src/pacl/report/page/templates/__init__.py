"""The templates of pages and cards; all values in an HTML template are escaped by Jinja."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacl.report.page.blocks import paragraphs
from pacl.report.page.inline import inline_parts
from pacl.report.table import letter

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "render"]

TOGETHER = re.compile(
    r"(?<=^[✓✗?]) "  # the sign of a verdict
    r"| (?=[↑↓%])|(?<=[<>]) (?=\d)"  # an arrow, per cent, < 0.001
    r"|(?<=\d) (?=to [-+\d])|(?<=\d to) (?=[-+\d])|(?<=\d,) (?=[-+]?[\d.]+\])"  # an interval
)
"""Spaces at which a line of a table is not broken."""


def render(template: str, **values: Any) -> str:
    """Fill in a template of this folder."""
    return _environment().get_template(template).render(values)


@cache
def asset(name: str) -> str:
    """A style sheet or script of this folder, such as `page.css` or `tables.js`, as it is."""
    return (Path(__file__).parent / name).read_text("utf-8")


@cache
def _environment() -> "Environment":
    """Jinja is loaded with the first page, not before: `pacl detect` seldom writes one."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    found = Environment(
        loader=FileSystemLoader(__path__),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "inline_parts": inline_parts,
        "letter": letter,
        "paragraphs": paragraphs,
        "together": _together,
    }
    return found


def _together(text: str) -> str:
    """Keep a sign on the line of its word, and both ends of an interval on one line."""
    return TOGETHER.sub("\N{NO-BREAK SPACE}", text)

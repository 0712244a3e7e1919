"""The templates of pages and cards; all values in an HTML template are escaped by Jinja."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from pacl.report.page.blocks import paragraphs
from pacl.report.page.inline import inline_parts
from pacl.report.table import letter

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Fill in a template of this folder."""
    return _environment().get_template(template).render(values)


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
    """Keep an arrow or a per cent sign on the line of the word before it."""
    return re.sub(" (?=[↑↓%])", "\N{NO-BREAK SPACE}", text)

"""A page for people: text, tables, figures and claims, as HTML and as Markdown."""

from pacl.report.page.blocks import (
    Block,
    ClaimBlock,
    Code,
    Details,
    FigureBlock,
    Heading,
    KeyFigure,
    KeyFigures,
    Note,
    PageError,
    TableBlock,
    Text,
    Verdict,
    recording_block,
    save_published,
)
from pacl.report.page.inline import without_markup
from pacl.report.page.inlined import as_data, content_policy
from pacl.report.page.page import Page
from pacl.report.page.templates import asset, render

__all__ = [
    "Block",
    "ClaimBlock",
    "Code",
    "Details",
    "FigureBlock",
    "Heading",
    "KeyFigure",
    "KeyFigures",
    "Note",
    "Page",
    "PageError",
    "TableBlock",
    "Text",
    "Verdict",
    "as_data",
    "asset",
    "content_policy",
    "recording_block",
    "render",
    "save_published",
    "without_markup",
]

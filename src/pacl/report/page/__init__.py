"""A page for people: blocks of words, tables, figures and claims, as HTML and as Markdown."""

from pacl.report.page.block import Block, PageError
from pacl.report.page.claim import ClaimBlock, Verdict
from pacl.report.page.figure import FigureBlock
from pacl.report.page.key_figures import KeyFigure, KeyFigures
from pacl.report.page.page import Page
from pacl.report.page.words import Code, Details, Heading, Note, TableBlock, Text

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
]

"""Plain RR files: text or CSV, as Kubios, Polar, Elite HRV and spreadsheets write them."""

from pacl.records.text.parse import parse_rr
from pacl.records.text.reader import TEXT_ENDINGS, TextReader

__all__ = ["TEXT_ENDINGS", "TextReader", "parse_rr"]

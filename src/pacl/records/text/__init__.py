"""Plain RR files: text or CSV, as Kubios, Polar, Elite HRV and spreadsheets write them."""

from pacl.records.text.files import TEXT_ENDINGS, text_files, why_unread
from pacl.records.text.parse import How, parse_rr
from pacl.records.text.reader import TextReader, check_head

__all__ = [
    "TEXT_ENDINGS",
    "How",
    "TextReader",
    "check_head",
    "parse_rr",
    "text_files",
    "why_unread",
]

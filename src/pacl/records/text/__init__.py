"""Plain RR files: text or CSV, as Kubios, Polar, Elite HRV and spreadsheets write them."""

from pacl.records.text.reader import TEXT_ENDINGS, TextReader, parse_rr

__all__ = ["TEXT_ENDINGS", "TextReader", "parse_rr"]

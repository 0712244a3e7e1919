"""Plain RR files: text or CSV, as Kubios, Polar, Elite HRV and spreadsheets write them."""

from pacl.records.text.beat_to_beat import check_beat_to_beat
from pacl.records.text.files import TEXT_ENDINGS, text_files, why_unread
from pacl.records.text.parse import TextOptions, parse_rr
from pacl.records.text.reader import TextReader, check_head
from pacl.records.text.table import MAX_LINE_CHARS
from pacl.records.text.values import MS_PER, Unit, no_unit, only_rises, units_by_median

__all__ = [
    "MAX_LINE_CHARS",
    "MS_PER",
    "TEXT_ENDINGS",
    "TextOptions",
    "TextReader",
    "Unit",
    "check_beat_to_beat",
    "check_head",
    "no_unit",
    "only_rises",
    "parse_rr",
    "text_files",
    "units_by_median",
    "why_unread",
]

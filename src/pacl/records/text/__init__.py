"""Plain RR files: text or CSV, as Kubios, Polar, Elite HRV and spreadsheets write them."""

from pacl.records.text.beat_columns import names_beats
from pacl.records.text.beat_to_beat import check_beat_to_beat
from pacl.records.text.columns import names_rr
from pacl.records.text.files import TEXT_ENDINGS, find_files, text_files, why_unread
from pacl.records.text.options import TextOptions
from pacl.records.text.parse import parse_rr
from pacl.records.text.reader import TextReader, check_head
from pacl.records.text.table import MAX_LINE_CHARS
from pacl.records.text.time import EPOCH_S
from pacl.records.text.validity import (
    CONTACT,
    CONTACT_SUPPORTED,
    ERROR_ESTIMATE,
    FLAGS,
    MOST_ERROR_MS,
    TRUE_IS_INVALID,
    TRUE_IS_VALID,
    mask,
)
from pacl.records.text.values import (
    MS_PER,
    Unit,
    name_and_unit,
    no_unit,
    only_rises,
    units_by_median,
)

__all__ = [
    "CONTACT",
    "CONTACT_SUPPORTED",
    "EPOCH_S",
    "ERROR_ESTIMATE",
    "FLAGS",
    "MAX_LINE_CHARS",
    "MOST_ERROR_MS",
    "MS_PER",
    "TEXT_ENDINGS",
    "TRUE_IS_INVALID",
    "TRUE_IS_VALID",
    "TextOptions",
    "TextReader",
    "Unit",
    "check_beat_to_beat",
    "check_head",
    "find_files",
    "mask",
    "name_and_unit",
    "names_beats",
    "names_rr",
    "no_unit",
    "only_rises",
    "parse_rr",
    "text_files",
    "units_by_median",
    "why_unread",
]

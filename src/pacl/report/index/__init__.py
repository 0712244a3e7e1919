"""The index of a folder: a row for each recording, a calendar and a trend of AF burden."""

from pacl.report.index.judged_row import days_of, row_of
from pacl.report.index.kept_rows import detector_digest, keep_row, kept_row, row_key
from pacl.report.index.page import index_assets, index_page, live_index_page
from pacl.report.index.row import ROW_FORMAT, Day, RecordingRow, RowError

__all__ = [
    "ROW_FORMAT",
    "Day",
    "RecordingRow",
    "RowError",
    "days_of",
    "detector_digest",
    "index_assets",
    "index_page",
    "keep_row",
    "kept_row",
    "live_index_page",
    "row_key",
    "row_of",
]

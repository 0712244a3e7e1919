"""Windows of consecutive beats, scaled per patient, audited and stored."""

from pacl.windows.audit import audit_folder, audit_windows
from pacl.windows.divide import Prepared, divide_again, divide_folds
from pacl.windows.errors import LeakError, WindowSetError
from pacl.windows.gather import gather
from pacl.windows.prepare import Cut, prepare
from pacl.windows.processed import is_processed, prepare_processed
from pacl.windows.reference import Reference, refer
from pacl.windows.scale import Scale, fit_scale
from pacl.windows.segment import RecordWindows, cut_windows
from pacl.windows.store import WindowSet
from pacl.windows.table import Names, WindowTable

__all__ = [
    "Cut",
    "LeakError",
    "Names",
    "Prepared",
    "RecordWindows",
    "Reference",
    "Scale",
    "WindowSet",
    "WindowSetError",
    "WindowTable",
    "audit_folder",
    "audit_windows",
    "cut_windows",
    "divide_again",
    "divide_folds",
    "fit_scale",
    "gather",
    "is_processed",
    "prepare",
    "prepare_processed",
    "refer",
]

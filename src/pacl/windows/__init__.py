"""Windows of consecutive beats, scaled per patient, audited and stored."""

from typing import TYPE_CHECKING

from pacl.windows.audit import audit_folder, audit_windows
from pacl.windows.divide import Prepared, divide_again, divide_folds, strata
from pacl.windows.errors import LeakError, WindowSetError
from pacl.windows.fingerprint import beat_prints, fingerprints, recognised
from pacl.windows.plausible import USUAL_MS, is_implausible
from pacl.windows.prepare import Cut, Divide, prepare
from pacl.windows.processed import is_processed, prepare_processed
from pacl.windows.reference import Reference, refer
from pacl.windows.scale import Scale, fit_scale, gather
from pacl.windows.segment import RecordWindows, cut_windows
from pacl.windows.store import ScaleBeats, WindowSet, is_window_set
from pacl.windows.table import Names, WindowTable

if TYPE_CHECKING:
    from pacl.windows.tensors import WindowTensors

__all__ = [
    "USUAL_MS",
    "Cut",
    "Divide",
    "LeakError",
    "Names",
    "Prepared",
    "RecordWindows",
    "Reference",
    "Scale",
    "ScaleBeats",
    "WindowSet",
    "WindowSetError",
    "WindowTable",
    "WindowTensors",
    "audit_folder",
    "audit_windows",
    "beat_prints",
    "cut_windows",
    "divide_again",
    "divide_folds",
    "fingerprints",
    "fit_scale",
    "gather",
    "is_implausible",
    "is_processed",
    "is_window_set",
    "prepare",
    "prepare_processed",
    "recognised",
    "refer",
    "strata",
]


def __getattr__(name: str) -> object:
    """Import torch only for `WindowTensors`."""
    if name != "WindowTensors":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pacl.windows.tensors import WindowTensors

    return WindowTensors

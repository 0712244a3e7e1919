"""Windows of any signal: their subjects, classes and parts, in memory and on disk."""

from typing import TYPE_CHECKING

from pacl.windows.array_format import ARRAY_FORMAT
from pacl.windows.audit import WINDOW_KINDS, WindowKind, audit_arrays
from pacl.windows.audit_samples import record_prints
from pacl.windows.columns import read_columns, write_columns
from pacl.windows.divide import (
    Prepared,
    divide_again,
    divide_folds,
    fold_windows,
    split_windows,
    strata,
)
from pacl.windows.errors import LeakError, WindowSetError, prepare_again
from pacl.windows.findings import (
    SEVERITIES,
    Finding,
    Severity,
    accepted,
    by_severity,
    changed,
    some,
)
from pacl.windows.folder import (
    MANIFEST,
    changed_files,
    no_window_set,
    write_manifest,
    written_format,
)
from pacl.windows.growing_array import GrowingArray
from pacl.windows.names import Names
from pacl.windows.prepare import ArrayCut, ArrayKeys, ArrayScale, prepare_arrays
from pacl.windows.protocol import Rows, Windows, WindowTensors
from pacl.windows.split import (
    PAPER_COUNTS,
    PARTS,
    CohortError,
    Split,
    SplitError,
    Unit,
    fold_split,
    read_split,
    scaled_counts,
    split_units,
)
from pacl.windows.stored_format import StoredFormat, StoredWindows
from pacl.windows.table import WindowTable
from pacl.windows.window_set import WindowSet

if TYPE_CHECKING:
    from pacl.windows.tensors import ArrayTensors

__all__ = [
    "ARRAY_FORMAT",
    "MANIFEST",
    "PAPER_COUNTS",
    "PARTS",
    "SEVERITIES",
    "WINDOW_KINDS",
    "ArrayCut",
    "ArrayKeys",
    "ArrayScale",
    "ArrayTensors",
    "CohortError",
    "Finding",
    "GrowingArray",
    "LeakError",
    "Names",
    "Prepared",
    "Rows",
    "Severity",
    "Split",
    "SplitError",
    "StoredFormat",
    "StoredWindows",
    "Unit",
    "WindowKind",
    "WindowSet",
    "WindowSetError",
    "WindowTable",
    "WindowTensors",
    "Windows",
    "accepted",
    "audit_arrays",
    "by_severity",
    "changed",
    "changed_files",
    "divide_again",
    "divide_folds",
    "fold_split",
    "fold_windows",
    "no_window_set",
    "prepare_again",
    "prepare_arrays",
    "read_columns",
    "read_split",
    "record_prints",
    "scaled_counts",
    "some",
    "split_units",
    "split_windows",
    "strata",
    "write_columns",
    "write_manifest",
    "written_format",
]


def __getattr__(name: str) -> object:
    """Import torch only for `ArrayTensors`."""
    if name != "ArrayTensors":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pacl.windows.tensors import ArrayTensors

    return ArrayTensors

"""Windows of any signal: their subjects, classes and parts."""

from pacl.windows.errors import LeakError, WindowSetError, prepare_again
from pacl.windows.findings import SEVERITIES, Finding, Severity
from pacl.windows.names import Names
from pacl.windows.protocol import Rows, Windows, WindowTensors
from pacl.windows.split import (
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

__all__ = [
    "PARTS",
    "SEVERITIES",
    "CohortError",
    "Finding",
    "LeakError",
    "Names",
    "Rows",
    "Severity",
    "Split",
    "SplitError",
    "Unit",
    "WindowSetError",
    "WindowTensors",
    "Windows",
    "fold_split",
    "prepare_again",
    "read_split",
    "scaled_counts",
    "split_units",
]

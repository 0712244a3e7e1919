"""Tables of a cohort: made part by part by any workers, resumed after any interruption."""

from pacl.cohort_tables.cut_recordings import cut_by_workers
from pacl.cohort_tables.detections import DetectionTables
from pacl.cohort_tables.folder import TablesFolder, as_parquet
from pacl.cohort_tables.hrv_windows import HrvTables
from pacl.cohort_tables.kind import OpenKind, Rows, TableKind, common, common_of
from pacl.cohort_tables.make import CohortTables, TablesError, make_tables
from pacl.cohort_tables.rhythm_scores import RhythmTables, recording_scores

__all__ = [
    "CohortTables",
    "DetectionTables",
    "HrvTables",
    "OpenKind",
    "RhythmTables",
    "Rows",
    "TableKind",
    "TablesError",
    "TablesFolder",
    "as_parquet",
    "common",
    "common_of",
    "cut_by_workers",
    "make_tables",
    "recording_scores",
]

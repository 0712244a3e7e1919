"""Tables of a cohort: made part by part by any workers, resumed after any interruption."""

from pacl.cohort_tables.folder import TablesFolder
from pacl.cohort_tables.kind import OpenKind, Rows, TableKind, common, common_of
from pacl.cohort_tables.make import CohortTables, TablesError, make_tables

__all__ = [
    "CohortTables",
    "OpenKind",
    "Rows",
    "TableKind",
    "TablesError",
    "TablesFolder",
    "common",
    "common_of",
    "make_tables",
]

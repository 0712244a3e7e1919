"""The report of systems that were held against each other: tables, pictures, plain sentences."""

from pacl.report.rivals.outcomes import RivalsReport, RivalsReportError
from pacl.report.rivals.write import write_rivals

__all__ = ["RivalsReport", "RivalsReportError", "write_rivals"]

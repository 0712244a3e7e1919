"""The report of a study: claims, tables, statistics and figures on one page."""

from pacl.report.study.write import StudyReport, write_report

__all__ = ["StudyReport", "write_report"]

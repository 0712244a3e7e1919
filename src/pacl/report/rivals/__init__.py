"""The report of a comparison of systems: tables, pictures, plain sentences."""

from pacl.report.rivals.write import write_rivals

__all__ = ["write_rivals"]

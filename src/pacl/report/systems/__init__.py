"""The report of a comparison of systems on any signal: tables, figures, plain sentences."""

from pacl.report.systems.sentences import what_holds
from pacl.report.systems.write import write_systems

__all__ = ["what_holds", "write_systems"]

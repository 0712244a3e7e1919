"""Comparing systems on windows of any signal, by folds of subjects."""

from pacl.studies.systems.make import all_fits, compare_on_signals
from pacl.studies.systems.pictured import Pictured, pictured
from pacl.studies.systems.scores import (
    SystemDifference,
    SystemScore,
    differences_of,
    scores_of,
)
from pacl.studies.systems.study import (
    CLASSICAL,
    MEASURES,
    PROPOSED,
    REFERENCES,
    SystemsStudy,
)
from pacl.studies.systems.tables import GEOMETRY, SystemSummary

__all__ = [
    "CLASSICAL",
    "GEOMETRY",
    "MEASURES",
    "PROPOSED",
    "REFERENCES",
    "Pictured",
    "SystemDifference",
    "SystemScore",
    "SystemSummary",
    "SystemsStudy",
    "all_fits",
    "compare_on_signals",
    "differences_of",
    "pictured",
    "scores_of",
]

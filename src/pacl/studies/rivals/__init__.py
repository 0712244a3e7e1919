"""Comparing all systems by one protocol."""

from pacl.rivals import SYSTEMS
from pacl.studies.rivals.comparison import KINDS, RivalsComparison
from pacl.studies.rivals.make import compare_systems, run_rivals
from pacl.studies.rivals.protocol import RivalsProtocol
from pacl.studies.rivals.rows import MEASURES, PROPOSED, REFERENCES, STATISTICS, PooledRow, where
from pacl.studies.rivals.scores import (
    LabelCurve,
    LabelCurves,
    Mean,
    Score,
    label_curves,
    patient_ranks,
    patients_in,
    scores_of,
)
from pacl.studies.rivals.verdicts import PATIENTS, Difference, differences_of, leaks_of, p_text

__all__ = [
    "KINDS",
    "MEASURES",
    "PATIENTS",
    "PROPOSED",
    "REFERENCES",
    "STATISTICS",
    "SYSTEMS",
    "Difference",
    "LabelCurve",
    "LabelCurves",
    "Mean",
    "PooledRow",
    "RivalsComparison",
    "RivalsProtocol",
    "Score",
    "compare_systems",
    "differences_of",
    "label_curves",
    "leaks_of",
    "p_text",
    "patient_ranks",
    "patients_in",
    "run_rivals",
    "scores_of",
    "where",
]

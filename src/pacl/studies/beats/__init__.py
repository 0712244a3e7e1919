"""A detector for unseen databases: trained on several cohorts, evaluated on those left out."""

from pacl.studies.beats.choose import LeftOut, inner_folds, outer_folds
from pacl.studies.beats.cohorts import BeatCohort
from pacl.studies.beats.fit import BeatFit
from pacl.studies.beats.judge import BeatScores
from pacl.studies.beats.recipe import CANDIDATES, STREAM, SUBJECTS, BeatRecipe

__all__ = [
    "CANDIDATES",
    "STREAM",
    "SUBJECTS",
    "BeatCohort",
    "BeatFit",
    "BeatRecipe",
    "BeatScores",
    "LeftOut",
    "inner_folds",
    "outer_folds",
]

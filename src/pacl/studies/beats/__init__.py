"""A detector for unseen databases: trained on several cohorts, evaluated on those left out."""

from pacl.studies.beats.choose import LeftOut, inner_folds, outer_folds
from pacl.studies.beats.cohorts import BeatCohort, cohort_name, read_cohorts
from pacl.studies.beats.fit import BeatFit
from pacl.studies.beats.judge import BeatScores
from pacl.studies.beats.make import Made, make_detector
from pacl.studies.beats.recipe import CANDIDATES, STREAM, SUBJECTS, BeatRecipe
from pacl.studies.beats.write import learned_from, write_detector

__all__ = [
    "CANDIDATES",
    "STREAM",
    "SUBJECTS",
    "BeatCohort",
    "BeatFit",
    "BeatRecipe",
    "BeatScores",
    "LeftOut",
    "Made",
    "cohort_name",
    "inner_folds",
    "learned_from",
    "make_detector",
    "outer_folds",
    "read_cohorts",
    "write_detector",
]

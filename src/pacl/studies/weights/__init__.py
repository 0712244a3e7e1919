"""Weights that need no labels of whoever they are used on."""

from pacl.studies.weights.make import MadeWeights, check_weights, make_weights, write_made
from pacl.studies.weights.measured import (
    CohortFigures,
    Estimate,
    judge_out_of_fold,
    measure_weights,
)
from pacl.studies.weights.recipe import NAME, RECIPE

__all__ = [
    "NAME",
    "RECIPE",
    "CohortFigures",
    "Estimate",
    "MadeWeights",
    "check_weights",
    "judge_out_of_fold",
    "make_weights",
    "measure_weights",
    "write_made",
]

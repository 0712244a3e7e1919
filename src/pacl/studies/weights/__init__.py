"""Weights for windows of 200 beats that need no labels of new patients."""

from pacl.studies.weights.make import (
    MadeWeights,
    check_weights,
    make_weights,
    study_weights,
    write_made,
)
from pacl.studies.weights.measured import (
    CohortFigures,
    Estimate,
    judge_out_of_fold,
    measure_weights,
)
from pacl.studies.weights.onnx_variants import TOLERANCE
from pacl.studies.weights.recipe import CUT, NAME, RECIPE, RULE

__all__ = [
    "CUT",
    "NAME",
    "RECIPE",
    "RULE",
    "TOLERANCE",
    "CohortFigures",
    "Estimate",
    "MadeWeights",
    "check_weights",
    "judge_out_of_fold",
    "make_weights",
    "measure_weights",
    "study_weights",
    "write_made",
]

"""Objectives: pair policies, contrastive losses over them, and cross-entropy."""

from pacl.objectives.contrastive import (
    Form,
    SubjectContrastiveLoss,
    WithoutPositives,
    anchor_losses,
)
from pacl.objectives.cross_entropy import BinaryCrossEntropyLoss
from pacl.objectives.errors import ObjectiveError, PolicyError
from pacl.objectives.memory import CrossBatchMemory, Remembered
from pacl.objectives.named import OBJECTIVES, make_objective
from pacl.objectives.objective import Objective
from pacl.objectives.pairs import (
    IGNORED,
    POLICIES,
    PairPolicy,
    PairWeights,
    Role,
    negative,
    positive,
)
from pacl.objectives.stacked import StackedObjective, stack_objectives, stackable, stacked_name
from pacl.objectives.temperature import Temperature
from pacl.settings import HeadOn

__all__ = [
    "IGNORED",
    "OBJECTIVES",
    "POLICIES",
    "BinaryCrossEntropyLoss",
    "CrossBatchMemory",
    "Form",
    "HeadOn",
    "Objective",
    "ObjectiveError",
    "PairPolicy",
    "PairWeights",
    "PolicyError",
    "Remembered",
    "Role",
    "StackedObjective",
    "SubjectContrastiveLoss",
    "Temperature",
    "WithoutPositives",
    "anchor_losses",
    "make_objective",
    "negative",
    "positive",
    "stack_objectives",
    "stackable",
    "stacked_name",
]

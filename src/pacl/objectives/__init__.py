"""Objectives: pair policies, contrastive losses over them, and cross-entropy."""

from pacl.objectives.all_pairs import anchor_losses
from pacl.objectives.contrastive import SubjectContrastiveLoss
from pacl.objectives.cross_entropy import BinaryCrossEntropyLoss, CrossEntropyLoss
from pacl.objectives.errors import ObjectiveError, PolicyError
from pacl.objectives.memory import CrossBatchMemory, Remembered
from pacl.objectives.named import OBJECTIVES, make_objective
from pacl.objectives.objective import Objective, Reads
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
from pacl.settings import Form, HeadOn, WithoutPositives

__all__ = [
    "IGNORED",
    "OBJECTIVES",
    "POLICIES",
    "BinaryCrossEntropyLoss",
    "CrossBatchMemory",
    "CrossEntropyLoss",
    "Form",
    "HeadOn",
    "Objective",
    "ObjectiveError",
    "PairPolicy",
    "PairWeights",
    "PolicyError",
    "Reads",
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

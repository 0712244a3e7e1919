"""Objectives: pair policies, contrastive losses over them, and cross-entropy."""

from pacl.objectives.contrastive import SubjectContrastiveLoss, anchor_losses
from pacl.objectives.cross_entropy import BinaryCrossEntropyLoss
from pacl.objectives.errors import ObjectiveError, PolicyError
from pacl.objectives.memory import CrossBatchMemory, Remembered
from pacl.objectives.named import OBJECTIVES, make_objective
from pacl.objectives.objective import Objective
from pacl.objectives.pairs import IGNORED, POLICIES, PairPolicy, Role, negative, positive
from pacl.objectives.temperature import Temperature

__all__ = [
    "IGNORED",
    "OBJECTIVES",
    "POLICIES",
    "BinaryCrossEntropyLoss",
    "CrossBatchMemory",
    "Objective",
    "ObjectiveError",
    "PairPolicy",
    "PolicyError",
    "Remembered",
    "Role",
    "SubjectContrastiveLoss",
    "Temperature",
    "anchor_losses",
    "make_objective",
    "negative",
    "positive",
]

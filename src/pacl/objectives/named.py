"""Objectives by their names on the command line."""

from collections.abc import Sequence

import torch

from pacl.objectives.all_pairs import Form
from pacl.objectives.contrastive import SubjectContrastiveLoss, WithoutPositives
from pacl.objectives.cross_entropy import BinaryCrossEntropyLoss, CrossEntropyLoss, HeadOn
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.memory import CrossBatchMemory
from pacl.objectives.objective import Objective
from pacl.objectives.pairs import ALIASES, POLICIES

OBJECTIVES: Sequence[str] = (*POLICIES, "bce", "cross-entropy")


def make_objective(
    name: str,
    *,
    temperature: float = 0.05,
    learnable: bool = True,
    floor: float = 0.01,
    form: Form | None = None,
    without_positives: WithoutPositives = "error",
    head_on: HeadOn = "projected_raw",
    memory: int = 0,
    memory_begins: int = 0,
    features: int = 128,
    classes: int = 2,
    generator: torch.Generator | None = None,
) -> Objective:
    """A pair policy's contrastive loss, or a cross-entropy: `bce` of two classes, or of any.

    Parameters
    ----------
    name
        One of `OBJECTIVES`.
    form
        By default Eq. 3, except for `supcon`, which is Khosla's L_out.
    temperature, learnable, floor, without_positives
        Of a contrastive loss; see `SubjectContrastiveLoss`.
    memory, memory_begins
        Windows of past batches that a contrastive loss uses, 0 for none, and the batch at which it
        starts; see `CrossBatchMemory`.
    head_on, generator
        Of a cross-entropy; see `BinaryCrossEntropyLoss`.
    features
        Length of the embedding, for a head or a memory.
    classes
        How many classes there are, for `cross-entropy`.
    """
    if memory < 0:
        raise ObjectiveError(f"a memory of {memory} windows; give 0 for none, or how many")
    if memory_begins and not memory:
        raise ObjectiveError(f"a memory from batch {memory_begins} on, but its size is 0")
    if name in ("bce", "cross-entropy"):
        if memory:
            raise ObjectiveError(
                f"a memory of {memory} windows for {name}, which has no pairs; leave it out"
            )
        if name == "cross-entropy":
            return CrossEntropyLoss(classes, features, head_on, generator=generator)
        return BinaryCrossEntropyLoss(features, head_on, generator=generator)
    if name not in (*POLICIES, *ALIASES):
        raise ObjectiveError(f"no objective {name!r}; choose from {', '.join(OBJECTIVES)}")
    return SubjectContrastiveLoss(
        name,
        temperature,
        learnable,
        form or ("mean_log" if name == "supcon" else "log_sum"),
        floor=floor,
        without_positives=without_positives,
        memory=CrossBatchMemory(memory, features, memory_begins) if memory else None,
    )

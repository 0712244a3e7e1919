"""Objectives by their names on the command line."""

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

import torch

from pacl.objectives.contrastive import SubjectContrastiveLoss
from pacl.objectives.cross_entropy import BinaryCrossEntropyLoss, CrossEntropyLoss
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.memory import CrossBatchMemory
from pacl.objectives.objective import Objective, Reads
from pacl.registry import RegistryError
from pacl.settings import LOSSES, ObjectiveSettings, SettingsError, settled

OBJECTIVES: Sequence[str] = LOSSES.built_in


def make_objective(
    name: str,
    settings: Any = None,
    *,
    features: int = 128,
    pooled_features: int | None = None,
    classes: int = 2,
    generator: torch.Generator | None = None,
    **stated: Any,
) -> Objective:
    """A loss by its name: a pair policy's contrastive loss, `bce`, or that of another package.

    Parameters
    ----------
    name
        One of `OBJECTIVES`, or of `pacl.settings.LOSSES` in all.
    settings
        As the loss takes them: for those of pacl an `ObjectiveSettings`. Or give them as keywords,
        such as `temperature=0.1`.
    features, pooled_features
        Length of e and of z, for a head or a memory; by default both are `features`.
    classes
        How many there are.
    generator
        For initial weights.

    Examples
    --------
    >>> make_objective("supcon", temperature=0.1).form
    'mean_log'
    """
    try:
        entry = LOSSES.named(name)
        if settings is not None and stated:
            raise ObjectiveError(f"{name}: give settings, or {', '.join(stated)}, not both")
        chosen = settled(entry.settings, stated) if settings is None else settings
    except (RegistryError, SettingsError) as error:
        raise ObjectiveError(f"objective {name}: {error}") from error
    made: Any = entry.make(
        chosen,
        projected_features=features,
        pooled_features=features if pooled_features is None else pooled_features,
        classes=classes,
        generator=generator,
    )
    if getattr(made, "reads", None) not in get_args(Reads):
        known = ", ".join(map(repr, get_args(Reads)))
        raise ObjectiveError(
            f"objective {name}: {type(made).__name__} has no `reads`, the output of the encoder "
            f"that it needs; set it to one of {known}"
        )
    found: Objective = made
    return found


def bce(
    settings: ObjectiveSettings,
    *,
    projected_features: int,
    pooled_features: int,
    classes: int,
    generator: torch.Generator | None,
) -> BinaryCrossEntropyLoss:
    """Cross-entropy of two classes."""
    if settings.memory:
        raise ObjectiveError(
            f"a memory of {settings.memory} windows for bce, which has no pairs; leave it out"
        )
    features = pooled_features if settings.head_on == "pooled_raw" else projected_features
    return BinaryCrossEntropyLoss(features, settings.head_on, generator=generator)


def cross_entropy(
    settings: ObjectiveSettings,
    *,
    projected_features: int,
    pooled_features: int,
    classes: int,
    generator: torch.Generator | None,
) -> CrossEntropyLoss:
    """Cross-entropy of any number of classes."""
    if settings.memory:
        raise ObjectiveError(
            f"a memory of {settings.memory} windows for cross-entropy, which has no pairs; "
            "leave it out"
        )
    features = pooled_features if settings.head_on == "pooled_raw" else projected_features
    return CrossEntropyLoss(classes, features, settings.head_on, generator=generator)


def _of_pairs(
    policy: str, settings: ObjectiveSettings, *, projected_features: int, **_: Any
) -> SubjectContrastiveLoss:
    """The contrastive loss of a pair policy; by default Eq. 3, but Khosla's L_out for SupCon."""
    memory = (
        CrossBatchMemory(settings.memory, projected_features, settings.memory_begins)
        if settings.memory
        else None
    )
    return SubjectContrastiveLoss(
        policy,
        settings.temperature,
        settings.learnable,
        settings.form or ("mean_log" if policy == "supcon" else "log_sum"),
        floor=settings.floor,
        without_positives=settings.without_positives,
        memory=memory,
    )


subject_aware = partial(_of_pairs, "subject-aware")
supcon = partial(_of_pairs, "supcon")
subject_class = partial(_of_pairs, "subject-class")
subject = partial(_of_pairs, "subject")

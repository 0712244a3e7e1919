"""Weights of pairs by groups: windows of one class and subject share them."""

from functools import lru_cache

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.objectives.all_pairs import Form
from pacl.objectives.memory import CrossBatchMemory
from pacl.objectives.objective import Codes
from pacl.objectives.pairs import PairPolicy, kinds_between

NEVER = -1e38
"""Log weight of a pair that does not take part: finite, so that differences are no NaN."""

MOST_GROUPS = 256
"""Classes times subjects up to which groups are used; with more, few windows share anything."""


def group_weights(
    labels: Codes,
    subjects: Codes,
    policy: PairPolicy,
    form: Form,
    dtype: torch.dtype,
    memory: CrossBatchMemory | None = None,
) -> Float[Tensor, "2 window candidate"]:
    """The same as `policy.weights`, positive and negative, with `NEVER` for minus infinity.

    Weights between groups are looked up, and copied for their windows: that takes a fifth of the
    time of comparing all pairs.
    """
    classes, of_class = torch.unique(labels, return_inverse=True)
    people, of_subject = torch.unique(subjects, return_inverse=True)
    if len(classes) * len(people) <= min(MOST_GROUPS, len(labels)):
        group = torch.add(of_subject, of_class, alpha=len(people))
        between = _between_groups(policy, form, len(classes), len(people), dtype)
        weights = between.index_select(2, group).index_select(1, group)
    else:
        kinds = kinds_between(of_class, of_subject, of_class, of_subject)
        weights = _table(policy, form, dtype)[:, kinds]
    weights.diagonal(dim1=1, dim2=2).fill_(NEVER)
    if memory is None:
        return weights
    past = _table(policy, form, dtype)[:, memory.kinds(labels, subjects)]
    return torch.cat([weights, past], dim=2)


@lru_cache(maxsize=8)
def _between_groups(
    policy: PairPolicy, form: Form, classes: int, subjects: int, dtype: torch.dtype
) -> Float[Tensor, "2 group group"]:
    """Between windows of all classes of all subjects, by number."""
    group = torch.arange(classes * subjects, device="cpu")
    of_class, of_subject = group // subjects, group % subjects
    return _table(policy, form, dtype)[:, kinds_between(of_class, of_subject, of_class, of_subject)]


def _table(policy: PairPolicy, form: Form, dtype: torch.dtype) -> Float[Tensor, "2 kind"]:
    """By `pair_kinds`."""
    positive, negative = policy.log_weights().values()
    every = [max(pair) for pair in zip(positive, negative, strict=True)]
    values = [positive, negative if form == "log_sum" else every]
    return torch.tensor(values, dtype=dtype, device="cpu").clamp_(min=NEVER)

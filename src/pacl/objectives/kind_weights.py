"""Log weights of all pairs on a CPU, in few operations: for a written gradient."""

from functools import lru_cache

import torch
from torch import Tensor

from pacl.axes import Float, Int
from pacl.objectives.memory import CrossBatchMemory
from pacl.objectives.objective import Codes
from pacl.objectives.pairs import NO_PAIR, PairPolicy
from pacl.settings import Form

NEVER = -1e38
"""Log weight of a pair that does not take part: finite, so that differences are no NaN."""


def kind_weights(
    labels: Codes,
    subjects: Codes,
    policy: PairPolicy,
    form: Form,
    dtype: torch.dtype,
    memory: CrossBatchMemory | None = None,
) -> Float[Tensor, "2 window candidate"]:
    """As `policy.weights`, with `NEVER` for minus infinity.

    First those among positives, then among negatives or, for L_out, among all that count.
    """
    kinds = _differ(labels).add_(_differ(subjects), alpha=2).fill_diagonal_(NO_PAIR)
    if memory is not None:
        kinds = torch.cat([kinds, memory.kinds(labels, subjects)], dim=1)
    table = _table(policy, form, dtype)
    return table.index_select(1, kinds.view(-1)).view(2, *kinds.shape)


def _differ(codes: Codes) -> Int[Tensor, "window window"]:
    """1 for windows that differ, else 0, as integers: a third of the time of booleans."""
    codes = codes.long()
    found = torch.empty(len(codes), len(codes), dtype=torch.int64)
    return torch.ne(codes[:, None], codes, out=found)


@lru_cache(maxsize=8)
def _table(policy: PairPolicy, form: Form, dtype: torch.dtype) -> Float[Tensor, "2 kind"]:
    """By `pair_kinds`."""
    positive, negative = policy.log_weights().values()
    every = [max(pair) for pair in zip(positive, negative, strict=True)]
    values = [positive, negative if form == "log_sum" else every]
    return torch.tensor(values, dtype=dtype, device="cpu").clamp(min=NEVER)

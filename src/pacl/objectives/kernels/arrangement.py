"""Candidates in order of class and subject, and the stretches of them that a row of tiles needs.

There is no synchronisation: lengths of groups stay on the device.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from pacl.axes import Float, Int
from pacl.objectives.objective import Codes, Embeddings
from pacl.objectives.pairs import PairPolicy
from pacl.objectives.tiled import Memory

LENGTH = 256.0
"""Length to which embeddings are scaled, so that half precision represents small parts too."""

MULTIPLE = 128
"""The number of places is a multiple of this, and of the height and width of any tile."""

HEIGHT = 32
"""Candidates per program."""


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """A policy as kernels take it: a value for each kind of pair."""

    log_weights: tuple[float, ...]
    """Natural logarithms; minus infinity for ignored pairs."""
    near: tuple[bool, ...]
    """Which kinds are positive."""

    @classmethod
    def of(cls, policy: PairPolicy) -> "Rule":
        """Each kind is in one of the two sums at most."""
        positive, negative = (values[:4] for values in policy.log_weights().values())
        return cls(
            tuple(map(max, positive, negative)), tuple(value > -torch.inf for value in positive)
        )

    @property
    def counted(self) -> tuple[bool, ...]:
        """Which kinds are in a sum."""
        return tuple(value > -torch.inf for value in self.log_weights)

    @property
    def by_subject(self) -> bool:
        """Whether to sort by subjects first: if no pair of different subjects counts."""
        return not any(self.counted[2:])

    @property
    def reach(self) -> tuple[bool, bool]:
        """Whether an anchor has pairs with other groups of its outer group, and beyond that."""
        _, within, others, apart = self.counted
        beside, across = (within, others) if self.by_subject else (others, within)
        return beside, across or apart


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """Batch and memory in the order of tiles, padded to full tiles."""

    parts: Float[Tensor, "part place padded"]
    """Embeddings in half precision, and in full precision the rest of them."""
    table: Int[Tensor, "row place"]
    """Rows as in `Row`."""
    shifts: Float[Tensor, "shift place"]
    """Set by the forward pass: what is subtracted from an anchor's positive and negative terms, and
    the factor of its slopes. Infinity and 0 where there is no anchor."""
    windows: int
    candidates: int
    """Windows of batch and memory."""

    @classmethod
    def of(
        cls,
        embedded: Embeddings,
        labels: Codes,
        subjects: Codes,
        memory: Memory | None,
        rule: Rule,
        exact: bool,
    ) -> "Arrangement":
        """Sort once, by class and subject in one number; one kernel computes the rest."""
        # deferred: Triton is optional
        from pacl.objectives.kernels.candidates import candidates_in_order
        from pacl.objectives.kernels.tile import Row

        windows, features = embedded.shape
        batch = (embedded.contiguous(), _as_long(labels), _as_long(subjects))
        past = batch
        if memory is not None:
            past = (memory[0], _as_long(memory[1]), _as_long(memory[2]))
        candidates = windows if memory is None else windows + len(past[1])
        keys = batch[1].new_empty(candidates)
        for (_, one, other), part in ((batch, keys[:windows]), (past, keys[windows:])):
            if len(part):
                outer, inner = (other, one) if rule.by_subject else (one, other)
                torch.add(inner, outer, alpha=1 << 32, out=part)
        keys, order = torch.sort(keys, stable=True)
        ranks = order if memory is None else (order < windows).cumsum(0, dtype=torch.int32)
        places = -(-candidates // MULTIPLE) * MULTIPLE
        padded = max(16, 1 << (features - 1).bit_length())
        made = cls(
            embedded.new_empty(1 + exact, places, padded, dtype=torch.float16),
            embedded.new_empty(len(Row), places, dtype=torch.int32),
            embedded.new_empty(3, places),
            windows,
            candidates,
        )
        pairs = [one for pair in zip(batch, past, strict=True) for one in pair]
        candidates_in_order[(places // HEIGHT,)](
            *(*pairs, keys, order, ranks, made.parts, made.table, made.shifts),
            *(windows, candidates, places, candidates.bit_length(), LENGTH),
            features=features,
            padded=padded,
            height=HEIGHT,
            with_memory=memory is not None,
            exact=exact,
        )
        return made


def _as_long(numbers: Tensor) -> Tensor:
    """Contiguous, in 64 bits, so that two numbers fit into one."""
    return numbers.long().contiguous()

"""Candidates in order of class and patient, and the stretches of them that a row of tiles needs.

Nothing here waits for the device: lengths of groups stay there.
"""

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor

from pacl.axes import Float, Int
from pacl.objectives.pairs import PairPolicy

LENGTH = 256.0
"""To what embeddings are stretched, so that half precision holds small parts too."""

WHOLE = 128
"""Places are a multiple of it, and of the height and width of any tile."""

HEIGHT = 32
"""Candidates that one program puts in order."""

Memory = tuple[Float[Tensor, "past feature"], Int[Tensor, "past"], Int[Tensor, "past"]]
"""Embeddings, labels and patients of further candidates, which get no gradient."""


class Row(IntEnum):
    """What the table of an arrangement holds of the candidate at each place.

    Its class and patient, its number before sorting, and where its group begins and ends: windows
    of its class and patient, or with `OUTER` of the one of the two that is sorted by first. A row
    of its own are the places of the anchors.
    """

    CLASS = 0
    PATIENT = 1
    ORIGIN = 2
    ANCHOR = 3
    FIRST = 4
    LAST = 5
    OUTER_FIRST = 6
    OUTER_LAST = 7


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """A policy as kernels take it, in the order of its fields.

    Parameters
    ----------
    log_weights
        Natural logarithms; minus infinity for ignored pairs.
    near
        Which kinds are positive.
    """

    log_weights: tuple[float, ...]
    near: tuple[bool, ...]

    @classmethod
    def of(cls, policy: PairPolicy) -> "Rule":
        """Each kind is in one of the two sums at most."""
        found = policy.log_weights()
        both = zip(found["positive"][:4], found["negative"][:4], strict=True)
        return cls(
            tuple(max(pair) for pair in both),
            tuple(value > -torch.inf for value in found["positive"][:4]),
        )

    @property
    def counted(self) -> tuple[bool, ...]:
        """Which kinds are in a sum."""
        return tuple(value > -torch.inf for value in self.log_weights)

    @property
    def by_patient(self) -> bool:
        """Whether to sort by patients first: where no other patient is looked at."""
        return not any(self.counted[2:])

    @property
    def reach(self) -> tuple[bool, bool]:
        """What an anchor meets but its own group: others beside it, and across what is outer."""
        _, within, others, apart = self.counted
        beside, across = (within, others) if self.by_patient else (others, within)
        return beside, across or apart


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """Batch and memory in one order, that of tiles, filled up to whole tiles.

    Parameters
    ----------
    parts
        Embeddings in half precision, and in full precision what that leaves of them.
    table
        `Row` by `Row`.
    shifts
        For the forward pass to fill: what is subtracted from an anchor's positive and negative
        terms, and what its slopes are multiplied with. Infinity and 0 where there is no anchor.
    windows, candidates
        How many, the latter with those remembered.
    """

    parts: Float[Tensor, "part place padded"]
    table: Int[Tensor, "row place"]
    shifts: Float[Tensor, "shift place"]
    windows: int
    candidates: int

    @classmethod
    def of(
        cls,
        embedded: Float[Tensor, "window feature"],
        labels: Int[Tensor, "window"],
        patients: Int[Tensor, "window"],
        memory: Memory | None,
        rule: Rule,
        exact: bool,
    ) -> "Arrangement":
        """Sort once, by both numbers of a candidate in one, and let one kernel do the rest."""
        # deferred: Triton is optional
        from pacl.objectives.kernels.candidates import candidates_in_order

        windows, features = embedded.shape
        batch = (embedded.contiguous(), _whole(labels), _whole(patients))
        past = batch if memory is None else (memory[0], _whole(memory[1]), _whole(memory[2]))
        candidates = windows if memory is None else windows + len(past[1])
        keys = batch[1].new_empty(candidates)
        for (_, one, other), part in ((batch, keys[:windows]), (past, keys[windows:])):
            if len(part):
                outer, inner = (other, one) if rule.by_patient else (one, other)
                torch.add(inner, outer, alpha=1 << 32, out=part)
        keys, order = torch.sort(keys, stable=True)
        ranks = order if memory is None else (order < windows).cumsum(0, dtype=torch.int32)
        places = -(-candidates // WHOLE) * WHOLE
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
            *pairs,
            keys,
            order,
            ranks,
            made.parts,
            made.table,
            made.shifts,
            windows,
            candidates,
            places,
            candidates.bit_length(),
            LENGTH,
            features=features,
            padded=padded,
            height=HEIGHT,
            with_memory=memory is not None,
            exact=exact,
        )
        return made


def _whole(numbers: Tensor) -> Tensor:
    """Of 64 bits, one after another, so that two fit into one."""
    return numbers.long().contiguous()

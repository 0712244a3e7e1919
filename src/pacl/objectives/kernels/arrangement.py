"""Candidates in order of class and patient, and the stretches of them that a row of tiles needs.

Nothing here waits for the device: lengths of groups stay there.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from pacl.axes import Int
from pacl.objectives.pairs import PairPolicy

SPANS = 3
"""Columns that a row of tiles meets: before its class, of its own groups, after its class."""


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


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """Batch and memory in one order, that of tiles.

    Parameters
    ----------
    order
        Of all candidates, the batch first; where each came from.
    classes, patients
        Of the sorted candidates, numbered from 0.
    rows
        Where the anchors are among the sorted candidates.
    by_patient
        Whether patients come before classes.
    """

    order: Int[Tensor, "candidate"]
    classes: Int[Tensor, "candidate"]
    patients: Int[Tensor, "candidate"]
    rows: Int[Tensor, "window"]
    by_patient: bool

    @classmethod
    def of(
        cls,
        labels: Int[Tensor, "candidate"],
        patients: Int[Tensor, "candidate"],
        windows: int,
        rule: Rule,
    ) -> "Arrangement":
        """Sort, by patient first where the rule looks at no other patient."""
        _, _, *of_others = rule.counted
        by_patient = not any(of_others)
        first, second = (patients, labels) if by_patient else (labels, patients)
        values, inner = torch.sort(second, stable=True)
        leading, outer = torch.sort(first[inner], stable=True)
        order, lesser, greater = inner[outer], _numbered(values)[outer], _numbered(leading)
        rows = torch.arange(len(order), device=order.device)
        if windows < len(order):
            place = torch.empty_like(order)
            place[order] = rows
            rows = torch.sort(place[:windows]).values
        classes, people = (lesser, greater) if by_patient else (greater, lesser)
        return cls(order, classes, people, rows, by_patient)

    def spans(self, rule: Rule, height: int, width: int) -> Int[Tensor, "block span end"]:
        """First and last tile of each stretch of columns that a row of tiles needs.

        They may hold pairs that do not count, but leave out none that does.
        """
        windows, candidates = len(self.rows), len(self.order)
        tiles = -(-candidates // width)
        spans = self.order.new_zeros(-(-windows // height), SPANS, 2, dtype=torch.int32)
        _, within, others, apart = rule.counted
        beside, across = (within, others) if self.by_patient else (others, within)
        across = across or apart
        if across and beside:
            spans[:, 0, 1] = tiles
            return spans
        order = (self.patients, self.classes) if self.by_patient else (self.classes, self.patients)
        leading = order[0]
        begins = torch.arange(0, windows, height, device=leading.device)
        low, high = self.rows[begins], self.rows[(begins + height - 1).clamp(max=windows - 1)]
        own = leading if beside else (_changes(leading) | _changes(order[1])).cumsum(0)
        first, last = _ends(own, low, high)
        spans[:, 1, 0], spans[:, 1, 1] = first // width, -(-last // width)
        if across:
            first, last = _ends(leading, low, high)
            first = torch.where(leading[low] == leading[high], first, candidates)
            spans[:, 0, 1], spans[:, 2, 0], spans[:, 2, 1] = (
                -(-first // width),
                last // width,
                tiles,
            )
            # A tile on a border belongs to the span before it.
            spans[..., 1] = spans[..., 1].cummax(dim=1).values
            spans[:, 1:, 0] = torch.maximum(spans[:, 1:, 0], spans[:, :-1, 1])
        return spans


def _changes(ordered: Tensor) -> Tensor:
    """Where a value differs from the one before."""
    changes = torch.zeros_like(ordered, dtype=torch.bool)
    torch.ne(ordered[1:], ordered[:-1], out=changes[1:])
    return changes


def _numbered(ordered: Tensor) -> Tensor:
    """Distinct values of a sorted list as 0, 1, 2 and so on."""
    return _changes(ordered).cumsum(0, dtype=torch.int32)


def _ends(ordered: Tensor, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
    """Where the groups of one place to those of another begin and end."""
    ends = torch.searchsorted(ordered, ordered[high], right=True)
    return torch.searchsorted(ordered, ordered[low]), ends

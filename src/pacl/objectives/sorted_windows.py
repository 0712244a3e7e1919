"""Windows in order of class and subject, cut into stretches of few kinds of pairs.

Rows of one class, a tile of them at a time, meet the columns of each class in three stretches:

```
columns of a class   | other subjects | subjects of the tile | other subjects |
                       one kind of pair, no mask   kinds mixed, a small mask
```

With many classes, those of few windows are joined and their kinds of pairs are found by a mask,
which is faster than many small stretches.

Columns are those of the batch, then those of a memory of past batches, which is sorted by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pacl.axes import Int
from pacl.objectives.objective import Codes
from pacl.objectives.pairs import PairPolicy

ROWS, COLUMNS = 256, 2048
"""Of a tile; a megabyte or two, which fit into the cache of a core."""

APART = 8
"""Largest number of classes with which each is cut by itself, however small."""

KINDS = (0, 1, 2, 3)
"""In the order of a policy's fields: subject and class, subject, class, neither are the same."""

Sum = Literal["positive", "negative"]


@dataclass(frozen=True, eq=False, slots=True)
class Stretch:
    """Rows and columns of sorted windows, and the kinds of pairs between them."""

    rows: slice
    columns: slice
    kinds: tuple[int, ...]
    """As in `pair_kinds`: one; same and other subjects, in a class (0, 2) or not (1, 3); or all."""
    twin: int
    """Whether the same pairs occur again with rows and columns exchanged: 1 the first time, 2 the
    second, 0 within a block or with remembered columns."""
    past: bool = False
    """Whether columns are those of the memory."""


@dataclass(frozen=True, slots=True)
class Block:
    """One class, or neighbouring ones of few windows: where it lies, its first and last class."""

    where: slice
    first: int
    last: int

    @property
    def small(self) -> bool:
        """Whether it does not fill a tile."""
        return bool(self.where.stop - self.where.start < ROWS)

    def meets(self, other: "Block") -> tuple[int, ...]:
        """Kinds of pairs between two blocks: of one class, of different ones, or all."""
        if self.last < other.first or other.last < self.first:
            return (1, 3)
        alone = self.first == self.last == other.first == other.last
        return (0, 2) if alone else KINDS


class Order:
    """Windows in order of class, then subject, and where blocks of them lie."""

    def __init__(self, labels: Codes, subjects: Codes) -> None:
        by_subject = torch.argsort(subjects, stable=True)
        self.order = by_subject[torch.argsort(labels[by_subject], stable=True)]
        self.labels, self.subjects = labels[self.order], subjects[self.order]
        named, sizes = torch.unique_consecutive(self.labels, return_counts=True)
        self.blocks: list[Block] = []
        end = 0
        for label, size in zip(named.tolist(), sizes.tolist(), strict=True):
            block = Block(slice(end, end := end + size), label, label)
            if len(named) > APART and self.blocks and self.blocks[-1].small and block.small:
                before = self.blocks.pop()
                block = Block(slice(before.where.start, end), before.first, label)
            self.blocks.append(block)


class SortedWindows:
    """Sorted windows of a batch, and the stretches whose pairs count under a policy.

    `past` are labels and subjects of remembered windows.
    """

    def __init__(
        self,
        labels: Codes,
        subjects: Codes,
        policy: PairPolicy,
        past: tuple[Int[Tensor, "past"], Int[Tensor, "past"]] | None = None,
    ) -> None:
        self.batch = Order(labels, subjects)
        self.past = None if past is None else Order(*past)
        self.order = self.batch.order
        self.log_weights = {name: values[:4] for name, values in policy.log_weights().items()}
        self.counted = [
            any(values[kind] > -torch.inf for values in self.log_weights.values())
            for kind in range(4)
        ]
        self.within = list(self._cut(self.batch, past=False))
        self.beyond = [] if self.past is None else list(self._cut(self.past, past=True))

    def __iter__(self) -> Iterator[Stretch]:
        """Stretches within the batch, then those with remembered columns."""
        return iter([*self.within, *self.beyond])

    def _cut(self, others: Order, *, past: bool) -> Iterator[Stretch]:
        for own_at, own in enumerate(self.batch.blocks):
            for rows in _parts(own.where, ROWS):
                for other_at, other in enumerate(others.blocks):
                    twin = 0 if past else (own_at < other_at) + 2 * (own_at > other_at)
                    for columns, kinds in self._cut_columns(rows, own, other, others):
                        yield Stretch(rows, columns, kinds, twin, past)

    def _cut_columns(
        self, rows: slice, own: Block, other: Block, others: Order
    ) -> Iterator[tuple[slice, tuple[int, ...]]]:
        """Parts of the columns of a block, and kinds of their pairs with the rows, if any counts.

        Windows of a class are sorted by subject, so those of the rows' subjects are contiguous.
        """
        kinds = own.meets(other)
        if other.first == other.last and own.first == own.last:
            known = others.subjects[other.where].contiguous()
            first, last = self.batch.subjects[[rows.start, rows.stop - 1]]
            low = other.where.start + int(torch.searchsorted(known, first))
            high = other.where.start + int(torch.searchsorted(known, last, right=True))
            places = [
                (slice(other.where.start, low), kinds[1:]),
                (slice(high, other.where.stop), kinds[1:]),
                (slice(low, high), kinds),
            ]
        else:
            places = [(other.where, kinds)]
        for where, there in places:
            if any(self.counted[kind] for kind in there):
                for columns in _parts(where, COLUMNS):
                    yield columns, there

    def log_weight(self, name: Sum, part: Stretch, like: Tensor) -> float | Tensor:
        """Of the pairs of a stretch in one of the two sums: a number, or one for each pair."""
        values = [self.log_weights[name][kind] for kind in part.kinds]
        if len(values) == 1 or not any(value > -torch.inf for value in values):
            return values[0]
        others = self.past if part.past and self.past is not None else self.batch
        of_kind = [like.new_tensor(value) for value in values]
        same = self.batch.subjects[part.rows, None] == others.subjects[None, part.columns]
        if part.kinds == KINDS:
            alike = self.batch.labels[part.rows, None] == others.labels[None, part.columns]
            in_class = torch.where(same, of_kind[0], of_kind[2])
            found = torch.where(alike, in_class, torch.where(same, of_kind[1], of_kind[3]))
        else:
            found = torch.where(same, of_kind[0], of_kind[1])
        if not part.past and not part.twin:
            at = torch.arange(part.rows.start, part.rows.stop, device=same.device)[:, None]
            of = torch.arange(part.columns.start, part.columns.stop, device=same.device)
            found = found.masked_fill(at == of, -torch.inf)  # a window and itself
        return found


def _parts(where: slice, size: int) -> Iterator[slice]:
    """A slice in slices of a size, the last one of what is left."""
    for begin in range(where.start, where.stop, size):
        yield slice(begin, min(begin + size, where.stop))

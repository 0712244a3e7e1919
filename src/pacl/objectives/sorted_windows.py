"""Windows in order of class and patient, cut into stretches of few kinds of pairs.

Rows of one class, a tile of them at a time, meet the columns of each class in three stretches:

```
columns of a class   | other patients | patients of the tile | other patients |
                       one kind of pair, no mask   kinds mixed, a small mask
```

Columns are those of the batch, then those of a memory of past batches, which is sorted by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pacl.axes import Int
from pacl.objectives.pairs import PairPolicy

ROWS, COLUMNS = 256, 2048
"""Of a tile; a megabyte or two, which a core's cache holds."""

OTHER_PATIENT_SAME_CLASS = 2
"""In the order of a policy's fields; one more is the other class, two less the same patient."""

Sum = Literal["positive", "negative"]


@dataclass(frozen=True, eq=False, slots=True)
class Stretch:
    """Rows and columns of sorted windows, and what pairs between them are.

    Parameters
    ----------
    rows, columns
        Where they lie.
    kind
        0 to 3 as in `pair_kinds`; where patients are mixed, that of other patients, and
        `kind` - 2 of the same.
    mixed
        Whether patients of the rows are among those of the columns.
    twin
        Whether the same pairs are met again with rows and columns exchanged: 1 the first time, 2
        the second, 0 where they lie within a class or columns are remembered.
    past
        Whether columns are those of the memory.
    """

    rows: slice
    columns: slice
    kind: int
    mixed: bool
    twin: int
    past: bool = False


class Order:
    """Windows in order of class, then patient, and where each class lies."""

    def __init__(self, labels: Int[Tensor, "window"], patients: Int[Tensor, "window"]) -> None:
        by_patient = torch.argsort(patients, stable=True)
        self.order = by_patient[torch.argsort(labels[by_patient], stable=True)]
        self.patients = patients[self.order]
        named, sizes = torch.unique_consecutive(labels[self.order], return_counts=True)
        ends = sizes.cumsum(0).tolist()
        self.classes: dict[int, slice] = {
            label: slice(end - size, end)
            for label, end, size in zip(named.tolist(), ends, sizes.tolist(), strict=True)
        }


class SortedWindows:
    """Sorted windows, those remembered among them, and the stretches that a policy lets take part.

    Parameters
    ----------
    labels, patients
        Of the windows of a batch.
    policy
        What pairs count as.
    past
        Labels and patients of what is remembered.
    """

    def __init__(
        self,
        labels: Int[Tensor, "window"],
        patients: Int[Tensor, "window"],
        policy: PairPolicy,
        past: tuple[Int[Tensor, "past"], Int[Tensor, "past"]] | None = None,
    ) -> None:
        self.batch = Order(labels, patients)
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
        """Those within the batch, then those beyond it, with what is remembered."""
        return iter([*self.within, *self.beyond])

    def _cut(self, others: Order, *, past: bool) -> Iterator[Stretch]:
        for own, rows_of_class in self.batch.classes.items():
            for begin in range(rows_of_class.start, rows_of_class.stop, ROWS):
                rows = slice(begin, min(begin + ROWS, rows_of_class.stop))
                ends = self.batch.patients[[rows.start, rows.stop - 1]]
                for other, columns in others.classes.items():
                    kind = OTHER_PATIENT_SAME_CLASS + (own != other)
                    twin = 0 if past else (own < other) + 2 * (own > other)
                    known = others.patients[columns].contiguous()
                    low = columns.start + int(torch.searchsorted(known, ends[0]))
                    high = columns.start + int(torch.searchsorted(known, ends[1], right=True))
                    for part, mixed in self._cut_columns(columns, low, high, kind):
                        yield Stretch(rows, part, kind, mixed, twin, past)

    def _cut_columns(
        self, columns: slice, low: int, high: int, kind: int
    ) -> Iterator[tuple[slice, bool]]:
        """Columns in parts, and whether patients of the rows are among them: from low to high."""
        if self.counted[kind]:
            for start, stop in ((columns.start, low), (high, columns.stop)):
                for begin in range(start, stop, COLUMNS):
                    yield slice(begin, min(begin + COLUMNS, stop)), False
        if self.counted[kind] or self.counted[kind - 2]:
            for begin in range(low, high, COLUMNS):
                yield slice(begin, min(begin + COLUMNS, high)), True

    def log_weight(self, name: Sum, part: Stretch, like: Tensor) -> float | Tensor:
        """Of the pairs of a stretch in one of the two sums: a number, or one for each pair."""
        values = self.log_weights[name]
        if not part.mixed:
            return values[part.kind]
        others = self.past if part.past and self.past is not None else self.batch
        same = self.batch.patients[part.rows, None] == others.patients[None, part.columns]
        of_own, of_others = (like.new_tensor(values[kind]) for kind in (part.kind - 2, part.kind))
        found = torch.where(same, of_own, of_others)
        if part.kind == OTHER_PATIENT_SAME_CLASS and not part.past:  # a window and itself
            at = torch.arange(part.rows.start, part.rows.stop, device=same.device)[:, None]
            of = torch.arange(part.columns.start, part.columns.stop, device=same.device)
            found = found.masked_fill(at == of, -torch.inf)
        return found

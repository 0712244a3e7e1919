"""The subject-aware contrastive loss without the pair matrix (Eq. 3, L_out): sorted groups, tiles.

Windows are put in order of class, then patient. Rows of one class, a tile of them at a time, meet
the columns of each class in three stretches:

```
columns of a class   | other patients | patients of the tile | other patients |
                       one kind of pair, no mask   kinds mixed, a small mask
```

What a policy ignores is never computed; of the rest one tile is in memory at a time. Sums of
exponentials keep running maxima. The backward pass computes the tiles again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
from torch import Tensor

from pacl.axes import Bool, Float, Int
from pacl.objectives.pairs import PairPolicy

ROWS, COLUMNS = 256, 2048
"""Of a tile; a megabyte or two, which a core's cache holds."""

OTHER_PATIENT_SAME_CLASS = 2
"""In the order of a policy's fields; one more is the other class, two less the same patient."""

Sum = Literal["positive", "negative"]
SUMS: tuple[Sum, Sum] = ("positive", "negative")


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
        the second, 0 where they lie within a class.
    """

    rows: slice
    columns: slice
    kind: int
    mixed: bool
    twin: int


class SortedWindows:
    """Windows in order of class and patient, and the stretches that a policy lets take part."""

    def __init__(
        self, labels: Int[Tensor, "window"], patients: Int[Tensor, "window"], policy: PairPolicy
    ) -> None:
        by_patient = torch.argsort(patients, stable=True)
        self.order = by_patient[torch.argsort(labels[by_patient], stable=True)]
        self.patients = patients[self.order]
        _, sizes = torch.unique_consecutive(labels[self.order], return_counts=True)
        ends = sizes.cumsum(0).tolist()
        self.classes = [
            slice(end - size, end) for end, size in zip(ends, sizes.tolist(), strict=True)
        ]
        self.log_weights = {name: values[:4] for name, values in policy.log_weights().items()}
        self.counted = [
            any(values[kind] > -torch.inf for values in self.log_weights.values())
            for kind in range(4)
        ]
        self._stretches = list(self._cut())

    def __iter__(self) -> Iterator[Stretch]:
        return iter(self._stretches)

    def _cut(self) -> Iterator[Stretch]:
        for own, rows_of_class in enumerate(self.classes):
            for begin in range(rows_of_class.start, rows_of_class.stop, ROWS):
                rows = slice(begin, min(begin + ROWS, rows_of_class.stop))
                ends = self.patients[[rows.start, rows.stop - 1]]
                for other, columns in enumerate(self.classes):
                    kind = OTHER_PATIENT_SAME_CLASS + (own != other)
                    twin = (own < other) + 2 * (own > other)
                    yield from self._cut_columns(rows, columns, ends, kind, twin)

    def _cut_columns(
        self, rows: slice, columns: slice, ends: Tensor, kind: int, twin: int
    ) -> Iterator[Stretch]:
        known = self.patients[columns].contiguous()
        low = columns.start + int(torch.searchsorted(known, ends[0]))
        high = columns.start + int(torch.searchsorted(known, ends[1], right=True))
        if self.counted[kind]:
            for start, stop in ((columns.start, low), (high, columns.stop)):
                for begin in range(start, stop, COLUMNS):
                    part = slice(begin, min(begin + COLUMNS, stop))
                    yield Stretch(rows, part, kind, False, twin)
        if self.counted[kind] or self.counted[kind - 2]:
            for begin in range(low, high, COLUMNS):
                part = slice(begin, min(begin + COLUMNS, high))
                yield Stretch(rows, part, kind, True, twin)

    def log_weight(self, name: Sum, part: Stretch, like: Tensor) -> float | Tensor:
        """Of the pairs of a stretch in one of the two sums: a number, or one for each pair."""
        values = self.log_weights[name]
        if not part.mixed:
            return values[part.kind]
        same = self.patients[part.rows, None] == self.patients[None, part.columns]
        own, others = (like.new_tensor(values[kind]) for kind in (part.kind - 2, part.kind))
        found = torch.where(same, own, others)
        if part.kind == OTHER_PATIENT_SAME_CLASS:  # a window and itself are no pair
            at = torch.arange(part.rows.start, part.rows.stop, device=same.device)[:, None]
            of = torch.arange(part.columns.start, part.columns.stop, device=same.device)
            found = found.masked_fill(at == of, -torch.inf)
        return found


@dataclass(eq=False, slots=True)
class RunningSum:
    """Logarithm of a sum of exponentials that grows: a maximum so far, and the sum below it."""

    highest: Float[Tensor, "window"]
    total: Float[Tensor, "window"]

    @classmethod
    def like(cls, embedded: Float[Tensor, "window feature"]) -> "RunningSum":
        """Of nothing yet."""
        return cls(
            embedded.new_full((len(embedded),), -torch.inf), embedded.new_zeros(len(embedded))
        )

    def add(self, rows: slice, terms: Float[Tensor, "row column"]) -> None:
        """Add a row's exponentials; `terms` is overwritten."""
        before = self.highest[rows]
        highest = torch.maximum(before, terms.amax(dim=1))
        shift = torch.where(highest > -torch.inf, highest, 0)  # of nothing but minus infinities
        self.total[rows] *= torch.exp(before - shift)
        self.total[rows] += terms.sub_(shift[:, None]).exp_().sum(dim=1)
        self.highest[rows] = highest

    def log(self) -> Float[Tensor, "window"]:
        """Minus infinity where nothing was added."""
        return self.highest + self.total.log()


class _TiledLosses(torch.autograd.Function):
    """Losses of sorted anchors, those without positives as 0."""

    @staticmethod
    def forward(
        ctx: Any, embedded: Tensor, tau: Tensor, windows: SortedWindows, mean_log: bool
    ) -> tuple[Tensor, Tensor]:
        near, far = RunningSum.like(embedded), RunningSum.like(embedded)
        weighted, weight = embedded.new_zeros(len(embedded)), embedded.new_zeros(len(embedded))
        for part in windows:
            similarity = (embedded[part.rows] / tau) @ embedded[part.columns].mT
            for name, held in zip(SUMS, (near, far), strict=True):
                log_weight = windows.log_weight(name, part, similarity)
                if isinstance(log_weight, float) and log_weight == -torch.inf:
                    continue
                if mean_log and name == "positive":
                    share = _weights(log_weight, similarity)
                    weighted[part.rows] += (share * similarity).sum(dim=1)
                    weight[part.rows] += share.sum(dim=1)
                one = isinstance(log_weight, float)  # of one kind, so that no other sum needs it
                held.add(part.rows, similarity.add_(log_weight) if one else similarity + log_weight)
        log_near, log_far = near.log(), far.log()
        valid = log_near > -torch.inf
        if mean_log:
            everything = torch.logaddexp(log_near, log_far)
            losses = everything - weighted / torch.where(valid, weight, 1)
        else:
            everything = torch.where(valid, log_far - log_near, 0)  # the odds
            losses = torch.logaddexp(everything, torch.zeros_like(everything))
            losses = torch.where(log_far > -torch.inf, losses, 0)
        ctx.save_for_backward(embedded, tau, log_near, log_far, everything, weight)
        ctx.windows, ctx.mean_log = windows, mean_log
        ctx.mark_non_differentiable(valid)
        return torch.where(valid, losses, 0), valid

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, given: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None, None]:
        embedded, tau, log_near, log_far, everything, weight = ctx.saved_tensors
        windows, mean_log = ctx.windows, ctx.mean_log
        valid = log_near > -torch.inf
        given = torch.where(valid, given, 0)
        # d L_i / d s_ij: `push` times the softmax over a sum, for each of the two sums.
        push = given if mean_log else given * torch.sigmoid(everything)
        shift = {
            "positive": everything if mean_log else torch.where(valid, log_near, 0),
            "negative": everything if mean_log else torch.where(log_far > -torch.inf, log_far, 0),
        }
        sign = {"positive": 1.0 if mean_log else -1.0, "negative": 1.0}
        share = given / torch.where(valid, weight, 1)
        moved = torch.zeros_like(embedded)
        for part in windows:
            if part.twin == 2:  # moved with its twin
                continue
            similarity = (embedded[part.rows] / tau) @ embedded[part.columns].mT
            slope = torch.zeros_like(similarity)
            for name in SUMS:
                log_weight = windows.log_weight(name, part, similarity)
                if isinstance(log_weight, float) and log_weight == -torch.inf:
                    continue
                # s_ij is in the sums of both anchors, i and j.
                for anchors, of in ((part.rows, (slice(None), None)), (part.columns, ...)):
                    term = similarity - (shift[name][anchors])[of]
                    slope.add_(term.add_(log_weight).exp_().mul_((sign[name] * push[anchors])[of]))
                if mean_log and name == "positive":
                    pairs = _weights(log_weight, similarity)
                    slope -= pairs * (share[part.rows, None] + share[part.columns])
            moved[part.rows].addmm_(slope, embedded[part.columns])
            if part.twin:
                moved[part.columns].addmm_(slope.mT, embedded[part.rows])
        moved /= tau
        # sum_ij s_ij dL/ds_ij is half of sum_i e_i . dL/de_i, and s goes with 1 / tau.
        of_tau = -(embedded * moved).sum() / (2 * tau)
        return moved, of_tau, None, None


Losses = Callable[[Tensor, Tensor, SortedWindows, bool], tuple[Tensor, Tensor]]
"""What `apply` takes and gives."""


def _weights(log_weight: float | Tensor, like: Tensor) -> Tensor:
    if isinstance(log_weight, Tensor):
        return log_weight.exp()
    return torch.full_like(like, log_weight).exp_()


@torch.compiler.disable  # type: ignore[untyped-decorator]
def tiled_losses(
    embedded: Float[Tensor, "window feature"],
    labels: Int[Tensor, "window"],
    patients: Int[Tensor, "window"],
    policy: PairPolicy,
    tau: Float[Tensor, ""],
    *,
    mean_log: bool = False,
) -> tuple[Float[Tensor, "window"], Bool[Tensor, "window"]]:
    """The loss of each anchor, 0 without positives, and which have some; in any order.

    Parameters
    ----------
    embedded
        Of unit length, in single or double precision.
    labels, patients
        Of each window; any number of classes, groups of any size.
    policy
        What pairs count as.
    tau
        The temperature; it gets a gradient.
    mean_log
        L_out instead of Eq. 3.
    """
    windows = SortedWindows(labels, patients, policy)
    apply = cast(Losses, _TiledLosses.apply)
    losses, valid = apply(embedded[windows.order], tau, windows, mean_log)
    back = torch.argsort(windows.order)
    return losses[back], valid[back]

"""The subject-aware contrastive loss without the pair matrix (Eq. 3, L_out): sorted groups, tiles.

Windows are sorted, so that most tiles have one kind of pair (`sorted_windows`). Ignored pairs are
never computed; of the others one tile is in memory at a time. Sums of exponentials keep running
maxima. The backward pass computes the tiles again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor

from pacl.axes import Bool, Float, Int
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.objective import Codes, Embeddings
from pacl.objectives.pairs import PairPolicy
from pacl.objectives.sorted_windows import SortedWindows, Stretch, Sum
from pacl.objectives.uncompiled import uncompiled

SUMS: tuple[Sum, Sum] = ("positive", "negative")
Memory = tuple[Float[Tensor, "past feature"], Int[Tensor, "past"], Int[Tensor, "past"]]
"""Embeddings, labels and subjects of further candidates, which are no anchors."""

AnchorLosses = tuple[Float[Tensor, "window"], Bool[Tensor, "window"]]
"""The loss of each anchor, and which anchors have positives."""


@dataclass(eq=False, slots=True)
class RunningSum:
    """Logarithm of a growing sum of exponentials: maximum so far, and the sum relative to it."""

    highest: Float[Tensor, "window"]
    total: Float[Tensor, "window"]

    @classmethod
    def like(cls, embedded: Embeddings) -> "RunningSum":
        """An empty sum for each window."""
        zeros = embedded.new_zeros(len(embedded))
        return cls(torch.full_like(zeros, -torch.inf), zeros)

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
        ctx: Any,
        embedded: Tensor,
        tau: Tensor,
        past: Tensor | None,
        windows: SortedWindows,
        mean_log: bool,
    ) -> tuple[Tensor, Tensor]:
        near, far = RunningSum.like(embedded), RunningSum.like(embedded)
        weighted, weight = embedded.new_zeros(len(embedded)), embedded.new_zeros(len(embedded))
        for part in windows:
            similarity = _similarity(part, embedded, past, tau)
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
        ctx.save_for_backward(embedded, tau, past, log_near, log_far, everything, weight)
        ctx.windows, ctx.mean_log = windows, mean_log
        ctx.mark_non_differentiable(valid)
        return torch.where(valid, losses, 0), valid

    @staticmethod
    def backward(ctx: Any, given: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        of = ctx.saved_tensors[:2]  # embeddings and temperature
        moved, of_tau = (differentiated_once(each, *of) for each in _gradients(ctx, given))
        return moved, of_tau, None, None, None


@torch.no_grad()
def _gradients(ctx: Any, given: Tensor) -> tuple[Tensor, Tensor]:
    """Of the embeddings and the temperature."""
    embedded, tau, past, log_near, log_far, everything, weight = ctx.saved_tensors
    windows, mean_log = ctx.windows, ctx.mean_log
    valid = log_near > -torch.inf
    given = torch.where(valid, given, 0)
    # d L_i / d s_ij: `push` times the softmax over a sum, for each of the two sums.
    push = given if mean_log else given * torch.sigmoid(everything)
    shift = {
        "positive": _or_0(everything if mean_log else log_near),
        "negative": _or_0(everything if mean_log else log_far),
    }
    sign = {"positive": 1.0 if mean_log else -1.0, "negative": 1.0}
    share = given / torch.where(valid, weight, 1)

    def slopes(part: Stretch) -> Tensor:
        """Of the loss by each similarity of a stretch."""
        similarity = _similarity(part, embedded, past, tau)
        found = torch.zeros_like(similarity)
        # s_ij is in the sums of both anchors, i and j; what is remembered is no anchor.
        ends: list[tuple[slice, Any]] = [(part.rows, (slice(None), None))]
        ends += [] if part.past else [(part.columns, ...)]
        for name in SUMS:
            log_weight = windows.log_weight(name, part, similarity)
            if isinstance(log_weight, float) and log_weight == -torch.inf:
                continue
            for anchors, of in ends:
                term = similarity - (shift[name][anchors])[of]
                found.add_(term.add_(log_weight).exp_().mul_((sign[name] * push[anchors])[of]))
            if mean_log and name == "positive":
                shares = [share[anchors][of] for anchors, of in ends]
                found -= _weights(log_weight, similarity) * sum(shares)
        return found

    moved = torch.zeros_like(embedded)
    for part in windows.within:
        if part.twin == 2:  # moved with its twin
            continue
        slope = slopes(part)
        moved[part.rows].addmm_(slope, embedded[part.columns])
        if part.twin:
            moved[part.columns].addmm_(slope.mT, embedded[part.rows])
    moved /= tau
    twice = (embedded * moved).sum()
    for part in windows.beyond:
        moved[part.rows].addmm_(slopes(part), past[part.columns] / tau)
    # s goes with 1 / tau, and sum_i e_i . dL/de_i is sum_ij s_ij dL/ds_ij, in which pairs
    # within the batch count twice.
    of_tau = -((embedded * moved).sum() - twice / 2) / tau
    return moved, of_tau


Losses = Callable[[Tensor, Tensor, Tensor | None, SortedWindows, bool], tuple[Tensor, Tensor]]
"""The type of `apply`."""


def _or_0(logarithm: Tensor) -> Tensor:
    """An empty sum has no logarithm, and no slope with any value in its place."""
    return torch.where(logarithm > -torch.inf, logarithm, 0)


def _similarity(part: Stretch, embedded: Tensor, past: Tensor | None, tau: Tensor) -> Tensor:
    """Of the pairs of a stretch."""
    columns = past if part.past and past is not None else embedded
    return (embedded[part.rows] / tau) @ columns[part.columns].mT


def _weights(log_weight: float | Tensor, like: Tensor) -> Tensor:
    if isinstance(log_weight, Tensor):
        return log_weight.exp()
    return torch.full_like(like, log_weight).exp_()


class _Once(torch.autograd.Function):
    """A gradient and its inputs."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, *of: Tensor) -> Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> None:
        raise ObjectiveError("tiles can be differentiated once; use tiled=False for more")


def differentiated_once(gradient: Tensor, *of: Tensor) -> Tensor:
    """The gradient of a function of the tensors `of`; differentiating it again raises an error.

    Without this PyTorch would silently treat the gradient as a constant.
    """
    if not torch.is_grad_enabled():
        return gradient
    once: Tensor = _Once.apply(gradient, *of)  # type: ignore[no-untyped-call]
    return once


def refuse_transforms() -> None:
    """Raise an error under `vmap`, `torch.func.grad` and similar transforms."""
    if torch._C._functorch.maybe_current_level() is not None:
        raise ObjectiveError(
            "tiles cannot be transformed by torch.func (vmap, grad, jvp); use tiled=False"
        )


@uncompiled
def tiled_losses(
    embedded: Embeddings,
    labels: Codes,
    subjects: Codes,
    policy: PairPolicy,
    tau: Float[Tensor, ""],
    *,
    mean_log: bool = False,
    memory: Memory | None = None,
) -> AnchorLosses:
    """The loss of each anchor, 0 without positives; windows are in any order.

    Parameters
    ----------
    embedded
        Of unit length, in single or double precision.
    labels, subjects
        Any number of classes, groups of any size.
    tau
        The temperature; it gets a gradient.
    mean_log
        L_out instead of Eq. 3.
    memory
        Further candidates, which are no anchors and get no gradient.
    """
    refuse_transforms()
    past = None
    windows = SortedWindows(labels, subjects, policy, memory and memory[1:])
    if windows.past is not None and memory is not None:
        past = memory[0].detach()[windows.past.order].to(embedded.dtype)
    apply = cast(Losses, _TiledLosses.apply)
    losses, valid = apply(embedded[windows.order], tau, past, windows, mean_log)
    back = torch.argsort(windows.order)
    return losses[back], valid[back]

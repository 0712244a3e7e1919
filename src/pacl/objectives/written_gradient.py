"""All pairs of a batch on a CPU, with the gradient written out (Eq. 3, L_out).

Value and gradients are those of `anchor_losses`, from the same operations in the same order, but
faster: autograd records one operation instead of twenty, and most results overwrite the one before.
"""

import math
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd import forward_ad

from pacl.axes import Bool, Float
from pacl.objectives.all_pairs import anchor_losses, mean_of
from pacl.objectives.kind_weights import NEVER
from pacl.objectives.objective import Embeddings
from pacl.objectives.pairs import PairWeights
from pacl.objectives.temperature import Temperature, tau_above
from pacl.settings import Form

LEAST = {
    dtype: math.log(torch.finfo(dtype).tiny) + 16.0 for dtype in (torch.float32, torch.float64)
}
"""Exponents below are raised to it: underflow and minus infinity make `exp` many times slower.

That changes no sum, because its largest term is 1, and leaves a gradient of 1e-31 for a 0."""

MeanLoss = tuple[Float[Tensor, ""], Bool[Tensor, "window"] | None]
"""The mean over anchors with positives, and which have some; None if all do."""


def can_be_written(embedded: Tensor, log_tau: Tensor) -> bool:
    """Whether `mean_of_all_pairs` can be used: on a CPU, without transforms and autocast.

    And not if tau is of double precision by itself, because then its quotients are, too.
    """
    return not (
        torch.compiler.is_compiling()
        or embedded.dtype != log_tau.dtype == torch.float64
        or embedded.device.type != "cpu"
        or torch.is_autocast_enabled("cpu")
        or forward_ad._current_level >= 0
        or _transformed(embedded)
    )


def mean_of_all_pairs(
    embedded: Embeddings,
    weights: Float[Tensor, "2 window candidate"],
    temperature: Temperature,
    form: Form,
    past: Float[Tensor, "past feature"] | None = None,
) -> MeanLoss:
    """The mean loss, in single or double precision; weights are those of `kind_weights`."""
    apply = cast(Callable[..., MeanLoss], _MeanLoss.apply)
    log_tau, log_floor = temperature.log_tau, math.log(temperature.floor)
    slopes = torch.is_grad_enabled() and (embedded.requires_grad or log_tau.requires_grad)
    return apply(embedded, log_tau, log_floor, past, weights, form, slopes)


class _MeanLoss(torch.autograd.Function):
    """Mean loss over anchors with positives, and which have some.

    The gradients are found along with the value, while its matrices are at hand.
    """

    @staticmethod
    def forward(
        ctx: Any,
        embedded: Tensor,
        log_tau: Tensor,
        log_floor: float,
        past: Tensor | None,
        weights: Tensor,
        form: Form,
        slopes: bool,
    ) -> tuple[Tensor, Tensor | None]:
        others = embedded if past is None else torch.cat([embedded, past.to(embedded.dtype)])
        floored = log_tau.item() < log_floor
        tau = tau_above(log_floor, log_tau) if floored else log_tau.exp()
        similarity = (embedded @ others.mT).div_(tau)
        mean, valid, slope = (_by_sums if form == "log_sum" else _by_shares)(
            similarity, weights, slopes=slopes
        )
        if valid is not None:
            ctx.mark_non_differentiable(valid)
        if slope is not None:
            ctx.of_log_tau = similarity.div_(tau).mul_(slope).sum().mul_(-tau.item())
            slope.div_(tau)
            ctx.moved, as_other = slope @ others, slope.mT @ embedded
            ctx.moved += as_other if past is None else as_other[: len(embedded)]
        ctx.save_for_backward(embedded, log_tau)
        ctx.again = weights, valid, log_floor, form, others[len(embedded) :].detach()
        return mean, valid

    @staticmethod
    def backward(ctx: Any, given: Tensor, _: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled() or _transformed(given):
            return (*_recorded(given, *ctx.saved_tensors, *ctx.again), None, None, None, None, None)
        return ctx.moved * given, ctx.of_log_tau * given, None, None, None, None, None


Found = tuple[Tensor, Tensor | None, Tensor | None]
"""The mean loss, which anchors have positives (None: all), and its slope by each similarity."""


def _by_sums(similarity: Tensor, weights: Tensor, *, slopes: bool) -> Found:
    """Eq. 3."""
    terms = similarity + weights
    log_sums = _log_sum(terms)
    odds = log_sums[1] - log_sums[0]
    losses = torch.logaddexp(odds, torch.zeros_like(odds))  # 0 without negatives
    lonely = log_sums[0].min().item() < NEVER / 2
    mean, valid, each = _mean(losses, weights if lonely else None)
    if not slopes:
        return mean, valid, None
    each = each / odds.neg_().exp_().add_(1)
    attracts, slope = _softmax_(terms, log_sums).mul_(each).unbind()
    return mean, valid, slope.sub_(attracts)


def _by_shares(similarity: Tensor, weights: Tensor, *, slopes: bool) -> Found:
    """L_out."""
    positive, every = weights.unbind()
    share, terms = positive.softmax(dim=1), similarity + every
    whole = _log_sum(terms)
    losses = whole - (share * similarity).sum(dim=1, keepdim=True)
    lonely = share.trace().item() > 0  # a share for itself: all are equal, for want of any
    mean, valid, each = _mean(losses, weights if lonely else None)
    if not slopes:
        return mean, valid, None
    return mean, valid, _softmax_(terms, whole).mul_(each).sub_(share.mul_(each))


def _mean(losses: Tensor, weights: Tensor | None) -> tuple[Tensor, Tensor | None, Tensor]:
    """The mean, which anchors it is of (None: all), and its slope by the loss of each."""
    if weights is None:
        return losses.mean(), None, torch.full_like(losses, 1 / len(losses))
    valid = weights[0].amax(dim=1) > NEVER / 2
    each = torch.where(valid, torch.ones_like(losses[0, 0]) / valid.sum(), 0)
    return mean_of(losses.squeeze(1), valid), valid, each[:, None]


def _log_sum(terms: Tensor) -> Tensor:
    """Logarithm of the sum of exponentials of each row."""
    highest = terms.amax(dim=-1, keepdim=True)
    return _exp_(terms - highest).sum(dim=-1, keepdim=True).log_().add_(highest)


def _softmax_(terms: Tensor, log_sum: Tensor) -> Tensor:
    """The share of each term in the sum of its row, in its place."""
    return _exp_(terms.sub_(log_sum))


def _exp_(terms: Tensor) -> Tensor:
    return terms.clamp_min_(LEAST[terms.dtype]).exp_()


def _recorded(
    given: Tensor,
    embedded: Tensor,
    log_tau: Tensor,
    weights: Tensor,
    valid: Tensor | None,
    log_floor: float,
    form: Form,
    past: Tensor,
) -> tuple[Tensor | None, ...]:
    """The gradients as autograd finds them, which can be differentiated and transformed."""
    exact = PairWeights(*weights.masked_fill(weights < NEVER / 2, -torch.inf))
    with torch.enable_grad():
        losses = anchor_losses(embedded, exact, tau_above(log_floor, log_tau), form, past)
        mean = losses.mean() if valid is None else mean_of(losses, valid)
        wanted = [one for one in (embedded, log_tau) if one.requires_grad]
        found = iter(torch.autograd.grad(mean, wanted, given, create_graph=True))
    return tuple(next(found) if one.requires_grad else None for one in (embedded, log_tau))


def _transformed(tensor: Tensor) -> bool:
    """Whether `vmap`, `torch.func.grad`, a batch of gradients or the like is at work."""
    functorch = torch._C._functorch
    return functorch.maybe_current_level() is not None or functorch.is_legacy_batchedtensor(tensor)

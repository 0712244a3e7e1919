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
from pacl.objectives.all_pairs import Form, anchor_losses, mean_of
from pacl.objectives.kind_weights import NEVER
from pacl.objectives.objective import Embeddings
from pacl.objectives.pairs import PairWeights
from pacl.objectives.temperature import Temperature, tau_above

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
    return apply(embedded, temperature.log_tau, math.log(temperature.floor), past, weights, form)


class _MeanLoss(torch.autograd.Function):
    """Mean loss over anchors with positives, and which have some."""

    @staticmethod
    def forward(
        ctx: Any,
        embedded: Tensor,
        log_tau: Tensor,
        log_floor: float,
        past: Tensor | None,
        weights: Tensor,
        form: Form,
    ) -> tuple[Tensor, Tensor | None]:
        others = embedded if past is None else torch.cat([embedded, past.to(embedded.dtype)])
        floored = log_tau.item() < log_floor
        tau = tau_above(log_floor, log_tau) if floored else log_tau.exp()
        similarity = (embedded @ others.mT).div_(tau)
        if form == "log_sum":
            terms = similarity + weights
            log_sums = _log_sum(terms)
            odds = log_sums[1] - log_sums[0]
            losses = torch.logaddexp(odds, torch.zeros_like(odds))  # 0 without negatives
            lonely = log_sums[0].min().item() < NEVER / 2
            held = (log_sums, odds)
        else:
            positive, every = weights.unbind()
            share, terms = positive.softmax(dim=1), similarity + every
            whole = _log_sum(terms)
            losses = whole - (share * similarity).sum(dim=1, keepdim=True)
            lonely = share.trace().item() > 0  # a share for itself: all are equal, for want of any
            held = (whole, share)
        valid = None
        if lonely:
            valid = weights[0].amax(dim=1) > NEVER / 2
            ctx.mark_non_differentiable(valid)
        ctx.save_for_backward(embedded, log_tau)
        ctx.tau, ctx.others, ctx.weights, ctx.valid = tau, others.detach(), weights, valid
        ctx.similarity, ctx.terms, ctx.held = similarity, terms, held
        ctx.log_floor, ctx.form = log_floor, form
        return losses.mean() if valid is None else mean_of(losses.squeeze(1), valid), valid

    @staticmethod
    def backward(ctx: Any, given: Tensor, _: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled() or _transformed(given):
            return (*_recorded(ctx, given), None, None, None, None)
        (embedded, _), others, tau, valid = ctx.saved_tensors, ctx.others, ctx.tau, ctx.valid
        similarity, terms, held = ctx.similarity, ctx.terms, ctx.held
        if valid is None:
            each: float | Tensor = given.item() / len(embedded)
        else:
            each = torch.where(valid, given / valid.sum(), 0)[:, None]
        if ctx.form == "log_sum":
            log_sums, odds = held
            each = torch.full_like(odds, each) if isinstance(each, float) else each
            each = each / odds.neg().exp_().add_(1)
            attracts, slope = _softmax(terms, log_sums).mul_(each).unbind()
        else:
            whole, share = held
            attracts, slope = share * each, _softmax(terms, whole).mul_(each)
        slope.sub_(attracts)
        of_log_tau = (similarity / tau).mul_(slope).sum().mul_(-tau.item())
        slope.div_(tau)
        moved, as_other = slope @ others, slope.mT @ embedded
        moved += as_other if len(others) == len(embedded) else as_other[: len(embedded)]
        return moved, of_log_tau, None, None, None, None


def _log_sum(terms: Tensor) -> Tensor:
    """Logarithm of the sum of exponentials of each row."""
    highest = terms.amax(dim=-1, keepdim=True)
    return _softmax(terms, highest).sum(dim=-1, keepdim=True).log_().add_(highest)


def _softmax(terms: Tensor, log_sum: Tensor) -> Tensor:
    """The share of each term in the sum of its row."""
    return (terms - log_sum).clamp_min_(LEAST[terms.dtype]).exp_()


def _recorded(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
    """The gradients as autograd finds them, which can be differentiated and transformed."""
    (embedded, log_tau), weights, valid = ctx.saved_tensors, ctx.weights, ctx.valid
    past = ctx.others[len(embedded) :]
    exact = PairWeights(*weights.masked_fill(weights < NEVER / 2, -torch.inf))
    with torch.enable_grad():
        tau = tau_above(ctx.log_floor, log_tau)
        losses = anchor_losses(embedded, exact, tau, ctx.form, past)
        mean = losses.mean() if valid is None else mean_of(losses, valid)
        wanted = [one for one in (embedded, log_tau) if one.requires_grad]
        found = iter(torch.autograd.grad(mean, wanted, given, create_graph=True))
    return tuple(next(found) if one.requires_grad else None for one in (embedded, log_tau))


def _transformed(tensor: Tensor) -> bool:
    """Whether `vmap`, `torch.func.grad`, a batch of gradients or the like is at work."""
    functorch = torch._C._functorch
    return functorch.maybe_current_level() is not None or functorch.is_legacy_batchedtensor(tensor)

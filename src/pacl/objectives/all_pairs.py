"""The loss of each anchor from a matrix of all pairs (Eq. 3, L_out)."""

import torch
from torch import Tensor

from pacl.axes import Bool, Float
from pacl.objectives.objective import in_full_precision
from pacl.objectives.pairs import PairWeights
from pacl.settings import Form


def anchor_losses(
    embedded: Float[Tensor, "*run window feature"],
    weights: PairWeights,
    tau: Float[Tensor, "*run"],
    form: Form,
    past: Float[Tensor, "*run past feature"] | None = None,
) -> Float[Tensor, "*run window"]:
    """The loss of each anchor; that of an anchor without positives is finite, but meaningless.

    There may be leading axes, such as one for the run. `past` are further candidates, whose
    weights come after those of the windows themselves.
    """
    with torch.autocast(embedded.device.type, enabled=False):
        exact = in_full_precision(embedded)
        others = exact if past is None else torch.cat([exact, past.to(exact.dtype)], dim=-2)
        similarity = exact @ others.mT / tau[..., None, None]
    # A row of minus infinities has no gradient: for anchors without positives take any finite row.
    positive = torch.where(_any_pair(weights.positive), weights.positive, 0)
    if form == "log_sum":
        repels = _any_pair(weights.negative)
        negative = torch.where(repels, weights.negative, 0)
        far = torch.logsumexp(similarity + negative, dim=-1)
        near = torch.logsumexp(similarity + positive, dim=-1)
        # log(P + N) - log(P) as log(1 + N / P): exact also where almost nothing is left to learn.
        odds = far - near
        return torch.where(repels[..., 0], torch.logaddexp(odds, torch.zeros_like(odds)), 0)
    everything = torch.logsumexp(similarity + torch.maximum(positive, weights.negative), dim=-1)
    return everything - (positive.softmax(dim=-1) * similarity).sum(dim=-1)


def mean_of(losses: Float[Tensor, "window"], valid: Bool[Tensor, "window"]) -> Float[Tensor, ""]:
    """The mean over valid anchors, those with positives; NaN if there is none."""
    return torch.where(valid, losses, 0).sum() / valid.sum()


def _any_pair(log_weights: Tensor) -> Tensor:
    """Which anchors have a pair of the kind."""
    return log_weights.isfinite().any(dim=-1, keepdim=True)

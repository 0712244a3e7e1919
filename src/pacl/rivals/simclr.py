"""SimCLR-style: two views of a window attract, all other windows repel (Chen et al. 2020).

The loss is NT-Xent, the paper's Eq. 1, on the projected embedding; as there, the probe reads the
pooled one, before the projection. Our choices: the encoder, the views (for RR intervals, not
images), AdamW instead of LARS, and batches of 128 windows with two views each.
"""

import torch
from torch import Tensor

from pacl.axes import Bool, Float, Int
from pacl.models import EncoderOutput
from pacl.objectives import Form, PairWeights, anchor_losses
from pacl.rivals.pretraining import Codes, Loss, SelfSupervised, Start, TwoViews, Views
from pacl.rivals.system import Learn, System


def nt_xent(
    embedded: Float[Tensor, "view feature"],
    pair: Int[Tensor, "view"],
    apart: Int[Tensor, "view"],
    tau: Float[Tensor, ""],
    form: Form = "log_sum",
) -> Loss:
    """Mean over anchors i of log sum_{P and N} exp(s_ij) - s_ip, with s = cosine / tau.

    Views with equal numbers in `pair` attract, views with different numbers in `apart` repel; with
    the same numbers in both, two views each, this is NT-Xent. Embeddings are of unit length.
    """
    itself = torch.eye(len(pair), dtype=torch.bool, device=pair.device)
    positive = (pair[:, None] == pair) & ~itself
    weights = PairWeights(
        _log(positive, embedded.dtype), _log(apart[:, None] != apart, embedded.dtype)
    )
    return anchor_losses(embedded, weights, tau, form).mean()


def _log(mask: Bool[Tensor, "view view"], dtype: torch.dtype) -> Float[Tensor, "view view"]:
    """Zero where the mask is true, minus infinity elsewhere."""
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return zeros.masked_fill(~mask, -torch.inf)


class Instances(TwoViews):
    """Each window is its own class."""

    tau: Tensor

    def __init__(self, windows: int, temperature: float) -> None:
        super().__init__(windows)
        self.register_buffer("tau", torch.tensor(temperature))

    def loss(self, embedded: EncoderOutput, views: Views, patients: Codes) -> Loss:
        """NT-Xent; patients are not used."""
        window = torch.arange(len(views) // 2, device=views.device).repeat(2)
        return nt_xent(embedded.projected, window, window, self.tau)


def _instances(start: Start, learn: Learn, chosen: dict[str, float]) -> Instances:
    return Instances(len(learn.windows), chosen["temperature"])


SYSTEMS: tuple[System, ...] = (SelfSupervised("simclr", "SimCLR-style", _instances),)

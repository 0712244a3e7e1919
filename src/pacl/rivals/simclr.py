"""SimCLR-style: two views of a window attract, all other windows repel (Chen et al. 2020).

The loss is NT-Xent, the paper's Eq. 1, on the projected embedding; the probe reads the pooled one,
before the projection, as there. Ours: the encoder, the views (for RR intervals, not pictures),
AdamW for LARS, and batches of 128 windows, as many as all others here can have.
"""

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Bool, Float, Int, Int64
from pacl.models.network import EncoderOutput
from pacl.objectives.contrastive import Form, anchor_losses
from pacl.objectives.pairs import PairWeights
from pacl.rivals.pretraining import Method, Start, shuffled_rows
from pacl.rivals.system import BATCH, Kind, Learn, Probed, Settings, System
from pacl.rivals.views import two_views


def nt_xent(
    embedded: Float[Tensor, "view feature"],
    pair: Int[Tensor, "view"],
    apart: Int[Tensor, "view"],
    tau: Float[Tensor, ""],
    form: Form = "log_sum",
) -> Float[Tensor, ""]:
    """Mean over anchors i of log sum_{P and N} exp(s_ij) - s_ip, with s = cosine / tau.

    Parameters
    ----------
    embedded
        Of unit length.
    pair
        Views of the same number attract.
    apart
        Views of other numbers repel. Where numbers are as in `pair` and two views share each, this
        is NT-Xent.
    tau
        The temperature.
    form
        What becomes of several positives; with one it does not matter.
    """
    itself = torch.eye(len(pair), dtype=torch.bool, device=pair.device)
    positive = (pair[:, None] == pair) & ~itself
    weights = PairWeights(
        _log(positive, embedded.dtype), _log(apart[:, None] != apart, embedded.dtype)
    )
    return anchor_losses(embedded, weights, tau, form).mean()


def _log(mask: Bool[Tensor, "view view"], dtype: torch.dtype) -> Float[Tensor, "view view"]:
    """Zero where a pair takes part, minus infinity where not."""
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return zeros.masked_fill(~mask, -torch.inf)


class Instances(Method):
    """Each window is a class of its own."""

    tau: Tensor

    def __init__(self, windows: int, temperature: float) -> None:
        super().__init__()
        self.windows = windows
        self.register_buffer("tau", torch.tensor(temperature))

    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """Windows at random, whoever's they are."""
        return shuffled_rows(self.windows, BATCH // 2, steps, generator)

    def views(
        self, rr_ms: Float[Tensor, "window beat"], generator: torch.Generator
    ) -> Float[Tensor, "view beat"]:
        """Two of each window."""
        return two_views(rr_ms, generator)

    def loss(
        self,
        embedded: EncoderOutput,
        views: Float[Tensor, "view beat"],
        patients: Int[Tensor, "window"],
    ) -> Float[Tensor, ""]:
        """NT-Xent; patients do not matter."""
        window = torch.arange(len(views) // 2, device=views.device).repeat(2)
        return nt_xent(embedded.projected, window, window, self.tau)


class SimCLR:
    """Contrast between windows."""

    name = "simclr"
    title = "SimCLR-style"
    kind: Kind = "self-supervised"
    trials: tuple[Settings, ...] = (
        {"lr": 1e-3, "temperature": 0.1},
        {"lr": 3e-4, "temperature": 0.1},
        {"lr": 3e-3, "temperature": 0.1},
        {"lr": 1e-3, "temperature": 0.5},
    )

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Learn from windows alone, then a probe from labels."""
        method = Instances(len(learn.windows), float(settings["temperature"]))
        return Start.of(learn).learned(learn, method, float(settings["lr"]))


SIMCLR: System = SimCLR()

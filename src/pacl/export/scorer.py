"""Encoder, probe and calibration as one network: from beats to the probability of AF (2.4)."""

import math
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.evaluation import Probe
from pacl.export.errors import ExportError
from pacl.export.regularity_ceiling import NEVER, RegularityCeiling
from pacl.models import Encoder


class Scores(NamedTuple):
    """Scores of windows: probability of AF, log odds, and z-hat."""

    probability: Float[Tensor, "window"]
    logit: Float[Tensor, "window"]
    pooled: Float[Tensor, "window feature"]


class Scorer(nn.Module):
    """A frozen copy of an encoder, its probe, and a calibration of the probe's logit.

    It is always in evaluation mode: there is no dropout, and a score does not depend on other
    windows.

    Parameters
    ----------
    encoder
        With one channel; it is copied in single precision.
    probe
        Fitted on the pooled embeddings of this encoder.
    slope, intercept
        Calibrated logit = slope * logit of the probe + intercept; 1 and 0 for no calibration.
    steady
        Ceiling for very regular windows, for encoders that take ms; none by default.

    Examples
    --------
    >>> import numpy as np
    >>> scorer = Scorer(Encoder(), Probe(np.zeros(128), 0.0))
    >>> scorer(torch.randn(3, 200)).probability
    tensor([0.5000, 0.5000, 0.5000])
    """

    weight: Tensor
    bias: Tensor

    def __init__(
        self,
        encoder: Encoder,
        probe: Probe,
        *,
        slope: float = 1.0,
        intercept: float = 0.0,
        steady: RegularityCeiling = NEVER,
    ) -> None:
        super().__init__()
        self.steady = steady
        _check(encoder, probe, slope, intercept, self.steady)
        self.encoder = deepcopy(encoder).cpu().float().requires_grad_(False)
        # The calibration is applied before rounding to single precision.
        weight, bias = probe.of_two_classes()
        self.register_buffer("weight", torch.from_numpy(slope * weight).float())
        self.register_buffer("bias", torch.tensor(slope * bias + intercept))
        self.eval()

    def forward(self, rr: Float[Tensor, "window beat"]) -> Scores:
        """Score windows, given exactly as the encoder takes them."""
        pooled = self.encoder(rr).pooled
        logit = pooled @ self.weight + self.bias
        if self.steady.variation:
            spread = rr.std(dim=1, correction=0) / rr.mean(dim=1).clamp_min(1.0)
            bounded = logit.clamp_max(self.steady.ceiling)
            logit = torch.where(spread < self.steady.variation, bounded, logit)
        return Scores(logit.sigmoid(), logit, pooled)

    def train(self, mode: bool = True) -> "Scorer":
        """Stay in evaluation mode."""
        return super().train(False)


def _check(
    encoder: Encoder, probe: Probe, slope: float, intercept: float, steady: RegularityCeiling
) -> None:
    channels, features = encoder.config["in_channels"], encoder.config["pooled_features"]
    if channels != 1:
        raise ExportError(
            f"the encoder reads {channels} channels, a scorer has RR intervals only; "
            "use an encoder with in_channels = 1"
        )
    if probe.classes != 2:
        raise ExportError(
            f"the probe tells {probe.classes} classes apart, a scorer two; export a run of SR and "
            "AF"
        )
    if probe.features != features:
        raise ExportError(
            f"the encoder has {features} pooled features, the probe was fitted on "
            f"{probe.features}; use the probe that belongs to the encoder"
        )
    if not all(map(math.isfinite, (steady.variation, steady.ceiling))) or steady.variation < 0:
        raise ExportError(f"{steady}; give a variation from 0 up and a finite ceiling")
    if steady.variation and encoder.config["view"] != "relative":
        raise ExportError(
            "the variation of windows needs ms, but the encoder takes scaled windows; "
            "leave steady out"
        )
    if not (math.isfinite(slope) and math.isfinite(intercept)):
        raise ExportError(
            f"calibration with slope {slope} and intercept {intercept}; give finite numbers, "
            "or 1 and 0 for none"
        )

"""A per-beat network under the protocol of all other methods."""

from dataclasses import dataclass

import numpy as np
import torch

from pacl.af.beats import UNKNOWN, BeatLine, beat_logits
from pacl.af.networks import PerBeatNetwork
from pacl.axes import Array, Float32, Float64
from pacl.rivals.beats.rival import checked


@dataclass(frozen=True, eq=False, slots=True)
class OfNetwork:
    """The logits of a trained network, on its device."""

    network: PerBeatNetwork
    name: str
    least_beats: int = 1

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """Logits of a stretch without beats before and after it."""
        checked(self, rr_ms)
        device = next(self.network.parameters()).device
        none = np.zeros(rr_ms.size, np.int32)
        line = BeatLine(
            torch.from_numpy(rr_ms).to(device),
            torch.ones(rr_ms.size, dtype=torch.bool, device=device),
            torch.full((rr_ms.size,), UNKNOWN, dtype=torch.uint8, device=device),
            none,
            none,
            (("", ""),),
            (("", ""),),
        )
        found = beat_logits(self.network, line, chunk=min(rr_ms.size, 16_384))
        return found.astype(np.float64)

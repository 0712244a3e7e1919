"""Very regular rhythms, such as a pacemaker's: what varies is taken away, some of it or all."""

from dataclasses import dataclass, replace

import torch
from torch.nn.functional import avg_pool1d, pad

from pacl.training.beats.crops import Chance, Crops, mean_rr

RUNNING_BEATS = 41
REMAINS = 0.5
"""Of the deviation from the mean at most so much is left."""

UNSTEADY_MS = 6.0


@dataclass(frozen=True, slots=True)
class Pacing:
    """Regular beats in rhythms other than AF, around a running mean or around one rate."""

    share: float = 0.15

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Make crops regular."""
        chance = Chance(crops, generator)
        half = RUNNING_BEATS // 2
        edges = pad(crops.rr_ms[:, None], (half, half), mode="replicate")
        running = avg_pool1d(edges, RUNNING_BEATS, stride=1)[:, 0]
        around = torch.where(chance.happens(0.5), running, mean_rr(crops))
        left = REMAINS * chance.uniform() ** 2
        noise_ms = chance.normal() * chance.uniform(0.0, UNSTEADY_MS)
        regular = around + (crops.rr_ms - around) * left + noise_ms
        paced = chance.happens(self.share) & (crops.label == 0)
        return replace(crops, rr_ms=torch.where(paced, regular, crops.rr_ms))

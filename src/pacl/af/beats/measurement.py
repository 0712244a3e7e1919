"""Faults of beat detectors: missed beats, false beats, inexact times."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from pacl.af.beats.crops import UNKNOWN, Chance, Crops
from pacl.rr import USUAL_MS

MOST_MISSED = 0.12
MADE_UP = 0.7
"""False beats per missed beat."""

WITHIN = (0.2, 0.8)
RATES_HZ = (1000.0, 512.0, 250.0, 200.0, 128.0, 100.0, 64.0, 50.0, 32.0, 25.0, 20.0, 16.0)


@dataclass(frozen=True, slots=True)
class MissedBeats:
    """Missed and false beats; beats that are lacking at the end of a crop are absent."""

    share: float = 0.3

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Put missed and false beats into crops."""
        chance = Chance(crops, generator)
        beats = crops.shape[1]
        rate = MOST_MISSED * chance.uniform() ** 2 * chance.happens(self.share)
        missed = (chance.each() < rate) & crops.present
        made_up = (chance.each() < MADE_UP * rate) & crops.present
        low, high = WITHIN
        ends_ms = crops.rr_ms.cumsum(dim=1)
        between_ms = ends_ms - crops.rr_ms * (low + (high - low) * chance.each())
        never = torch.full_like(ends_ms, torch.inf)
        times_ms = torch.cat(
            [torch.where(missed, never, ends_ms), torch.where(made_up, between_ms, never)], dim=1
        )
        ordered, origin = times_ms.sort(dim=1)
        ordered, origin = ordered[:, :beats], origin[:, :beats] % beats
        there = torch.isfinite(ordered)
        rr_ms = torch.where(there, _intervals(torch.where(there, ordered, 0.0)), USUAL_MS)
        touched = rate > 0  # the others stay equal to the bit
        return Crops(
            torch.where(touched, rr_ms, crops.rr_ms),
            crops.present.gather(1, origin) & there,
            torch.where(there, crops.label.gather(1, origin), UNKNOWN),
        )


@dataclass(frozen=True, slots=True)
class TimingNoise:
    """Beats slightly early or late, as in optical sensors of watches, or on a coarse time grid."""

    share: float = 0.2
    """Share of the crops with Gaussian noise on their beat times."""
    most_ms: float = 35.0
    """Largest standard deviation of the noise."""
    on_grid: float = 0.2
    """Share of the crops, drawn independently, with beats on a grid of 16 to 1,000 Hz."""

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Move the beats of crops."""
        chance = Chance(crops, generator)
        size_ms = self.most_ms * chance.uniform() ** 1.5 * chance.happens(self.share)
        ends_ms = crops.rr_ms.cumsum(dim=1) + chance.normal() * size_ms
        rates = torch.tensor(RATES_HZ, device=ends_ms.device)
        which = (chance.uniform() * len(RATES_HZ)).long().clamp(max=len(RATES_HZ) - 1)
        step_ms = 1000.0 / rates[which]
        coarse = torch.round(ends_ms / step_ms) * step_ms
        rounded = chance.happens(self.on_grid)
        ends_ms = torch.where(rounded, coarse, ends_ms).sort(dim=1).values
        touched = rounded | (size_ms > 0)
        return replace(crops, rr_ms=torch.where(touched, _intervals(ends_ms), crops.rr_ms))


def _intervals(ends_ms: Tensor) -> Tensor:
    """Intervals from the times of their ends."""
    before = torch.zeros_like(ends_ms[:, :1])
    return torch.diff(ends_ms, dim=1, prepend=before).clamp(min=0.0)

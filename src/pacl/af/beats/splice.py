"""Short episodes, interruptions and recordings: pieces of other crops, and shortened crops.

```
host     N N N N N N N N N N N N
donor    A A A A A A A
crop     N N N A A A A N N N N N
```
"""

import math
from dataclasses import dataclass, replace

import torch

from pacl.af.beats.crops import UNKNOWN, Chance, Crops, mean_rr

SHORTEST, LONGEST = 6, 150
RELATIVE_RATE = (0.6, 1.1)
"""Mean interval of an inserted piece relative to the crop, where its rate is adjusted."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Pieces of 6 to 150 beats of other crops, with their labels."""

    share: float = 0.2

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Put pieces of crops into others."""
        chance = Chance(crops, generator)
        count, beats = crops.shape
        device = crops.rr_ms.device
        donor = torch.randperm(count, generator=generator, device=device)
        length = torch.exp(chance.uniform(math.log(SHORTEST), math.log(LONGEST))).long()
        here, there = chance.place(), chance.place()
        beat = torch.arange(beats, device=device)
        source = (beat - here + there).clamp(0, beats - 1)
        rr_ms, label = crops.rr_ms[donor].gather(1, source), crops.label[donor].gather(1, source)
        known = crops.present[donor].gather(1, source) & (label != UNKNOWN)
        inside = (beat >= here) & (beat < here + length) & chance.happens(self.share)
        taken = inside & known & crops.present & (crops.label != UNKNOWN)
        some = taken.sum(dim=1, keepdim=True)
        piece_ms = (rr_ms * taken).sum(dim=1, keepdim=True) / some.clamp(min=1)
        wanted_ms = mean_rr(crops) * chance.uniform(*RELATIVE_RATE)
        factor = (wanted_ms / piece_ms.clamp(min=200.0)).clamp(0.5, 2.0)
        factor = torch.where(chance.happens(0.5) & (some > 0), factor, torch.ones_like(factor))
        return Crops(
            torch.where(taken, rr_ms * factor, crops.rr_ms),
            crops.present,
            torch.where(taken, label, crops.label),
        )


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Short recordings: one stretch of `shortest` to `longest` beats stays, log-uniform."""

    share: float = 0.3
    shortest: int = 30
    longest: int = 600

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Shorten crops; the remaining stretch reaches into the middle half of the crop."""
        chance = Chance(crops, generator)
        beats = crops.shape[1]
        beat = torch.arange(beats, device=crops.rr_ms.device)
        low, high = math.log(self.shortest), math.log(self.longest)
        length = torch.exp(chance.uniform(low, high))
        first = (beats * chance.uniform(0.25, 0.75) - length * chance.uniform()).long()
        stays = (beat >= first) & (beat < first + length) | ~chance.happens(self.share)
        return replace(crops, present=crops.present & stays)

"""Respiratory sinus arrhythmia: intervals that lengthen and shorten with each breath.

In young people at rest it is strong: 20 % of an interval and more, at two to five beats per
breath. Patients with AF are old and have little of it.
"""

import math
from dataclasses import dataclass, replace

import torch

from pacl.training.beats.crops import Chance, Crops

BREATH_S = (2.5, 12.0)
WANDERING = 0.3
"""Largest phase jitter per beat, in radians."""

SKEW = 0.4
"""Largest second harmonic: inspiration and expiration differ."""

IN_AF = 0.4
"""Relative depth in AF, where respiration has less effect."""


@dataclass(frozen=True, slots=True)
class Respiration:
    """Respiratory arrhythmia with a depth of up to `deepest`, as the logarithm of a factor."""

    share: float = 0.35
    deepest: float = 0.3

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Add respiratory arrhythmia to crops."""
        chance = Chance(crops, generator)
        shortest, longest = BREATH_S
        breath_ms = 1000 * shortest * (longest / shortest) ** chance.uniform()
        strays = (chance.normal() * chance.uniform(0.0, WANDERING)).cumsum(dim=1)
        phase = 2 * math.pi * (crops.rr_ms.cumsum(dim=1) / breath_ms + chance.uniform()) + strays
        second = torch.sin(2 * phase + 2 * math.pi * chance.uniform())
        wave = torch.sin(phase) + chance.uniform(-SKEW, SKEW) * second
        depth = chance.uniform(0.0, self.deepest) * chance.happens(self.share)
        depth = depth * torch.where(crops.label == 1, IN_AF, 1.0)
        return replace(crops, rr_ms=crops.rr_ms * torch.exp(depth * wave))

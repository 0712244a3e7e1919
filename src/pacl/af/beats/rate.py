"""Heart rates that a database lacks: other, drifting, stepwise, regular, or with respiration."""

import math
from dataclasses import dataclass, replace

import torch
from torch.nn.functional import avg_pool1d, interpolate, pad

from pacl.af.beats.crops import Chance, Crops, mean_rr

KNOTS = 9
"""Number of random points of a drift, which is linear between them."""


@dataclass(frozen=True, slots=True)
class Rate:
    """All intervals of a crop longer or shorter by one factor, at most exp(`most`)."""

    share: float = 1.0
    most: float = 0.3

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Scale crops."""
        chance = Chance(crops, generator)
        change = chance.uniform(-self.most, self.most) * chance.happens(self.share)
        return replace(crops, rr_ms=crops.rr_ms * torch.exp(change))


@dataclass(frozen=True, slots=True)
class Drift:
    """A rate that drifts along a crop: a factor whose logarithm has an SD of up to `most`."""

    share: float = 0.3
    most: float = 0.15

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Add drift to crops."""
        chance = Chance(crops, generator)
        drawn = torch.cat([chance.uniform(-0.5, 0.5) for _ in range(KNOTS)], dim=1)
        knots = math.sqrt(12) * drawn  # variance 1
        size = chance.uniform(0.0, self.most) * chance.happens(self.share)
        drift = interpolate(
            (knots * size)[:, None], size=crops.shape[1], mode="linear", align_corners=True
        )
        return replace(crops, rr_ms=crops.rr_ms * torch.exp(drift[:, 0]))


@dataclass(frozen=True, slots=True)
class RateStep:
    """Another rate from some beat on, by a factor of at most exp(`most`), as of a pacemaker."""

    share: float = 0.1
    most: float = 0.4

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Put a step into crops."""
        chance = Chance(crops, generator)
        beat = torch.arange(crops.shape[1], device=crops.rr_ms.device)
        later = chance.happens(self.share) & (beat >= chance.place())
        change = chance.uniform(-self.most, self.most) * later
        return replace(crops, rr_ms=crops.rr_ms * torch.exp(change))


RUNNING_BEATS = 41
REMAINS = 0.5
"""Largest share of the deviation from the mean that is left."""

JITTER_MS = 6.0


@dataclass(frozen=True, slots=True)
class Pacing:
    """Very regular rhythms (pacemakers), not in AF: around a running mean or one rate."""

    share: float = 0.15

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Make crops regular."""
        chance = Chance(crops, generator)
        half = RUNNING_BEATS // 2
        edges = pad(crops.rr_ms[:, None], (half, half), mode="replicate")
        running = avg_pool1d(edges, RUNNING_BEATS, stride=1)[:, 0]
        around = torch.where(chance.happens(0.5), running, mean_rr(crops))
        left = REMAINS * chance.uniform() ** 2
        noise_ms = chance.normal() * chance.uniform(0.0, JITTER_MS)
        regular = around + (crops.rr_ms - around) * left + noise_ms
        paced = chance.happens(self.share) & (crops.label == 0)
        return replace(crops, rr_ms=torch.where(paced, regular, crops.rr_ms))


BREATH_S = (2.5, 12.0)
WANDERING = 0.3
"""Largest phase jitter per beat, in radians."""

SKEW = 0.4
"""Largest second harmonic: inspiration and expiration differ."""

IN_AF = 0.4
"""Relative depth in AF, where respiration has less effect."""


@dataclass(frozen=True, slots=True)
class Respiration:
    """Respiratory sinus arrhythmia: intervals lengthen and shorten with each breath.

    In young people at rest it is strong: 20 % of an interval and more, at two to five beats per
    breath. Patients with AF are old and have little of it. The depth is the logarithm of a factor.
    """

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

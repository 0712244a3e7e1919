"""Heart rates that a database does not hold: faster, slower, drifting, or changing at once."""

import math
from dataclasses import dataclass, replace

import torch
from torch.nn.functional import avg_pool1d, interpolate, pad

from pacl.training.beats.crops import Chance, Crops, mean_rr

KNOTS = 9
"""A drift is drawn at so many places of a crop, and goes straight in between."""


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
    """A rate that wanders along a crop: a factor whose logarithm has an SD of up to `most`."""

    share: float = 0.3
    most: float = 0.15

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Let crops drift."""
        chance = Chance(crops, generator)
        knots = math.sqrt(12) * torch.cat(
            [chance.uniform(-0.5, 0.5) for _ in range(KNOTS)], dim=1
        )  # variance 1
        size = chance.uniform(0.0, self.most) * chance.happens(self.share)
        drift = interpolate(
            (knots * size)[:, None], size=crops.shape[1], mode="linear", align_corners=True
        )
        return replace(crops, rr_ms=crops.rr_ms * torch.exp(drift[:, 0]))


@dataclass(frozen=True, slots=True)
class RateStep:
    """Another rate from some beat on, by a factor of at most exp(`most`): a pacemaker switches."""

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

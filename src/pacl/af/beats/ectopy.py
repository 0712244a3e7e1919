"""Ectopic beats in any rhythm: single ones, patterns, and runs.

```
sinus          |-----|-----|-----|-----|
premature      |-----|--|--------|-----|     ventricular: compensatory pause
               |-----|--|-----|-----|        atrial: the rhythm is reset
bigeminy       |--|--------|--|--------|
run            |-----|--|--|--|--|-----|
```
"""

from dataclasses import dataclass, replace

import torch

from pacl.af.beats.crops import Chance, Crops

EARLIEST, LATEST = 0.45, 0.85
"""Share of the interval after which an ectopic beat comes."""

JITTER = 0.05
COMPENSATED = 0.6
"""Share of the crops with full compensatory pauses."""

PATTERNS = 0.35
"""Share of the crops with ectopy in a pattern: each second to fifth beat."""

RUN_BEATS = (3, 28)
RUN_RATE = (0.45, 0.8)
SHORTEST_MS = 250.0


@dataclass(frozen=True, slots=True)
class Ectopy:
    """Premature beats, at random up to a rate of `most`, or in patterns; never two in a row."""

    share: float = 0.5
    most: float = 0.3

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Put premature beats into crops."""
        chance = Chance(crops, generator)
        beat = torch.arange(crops.shape[1], device=crops.rr_ms.device)
        at_random = chance.each() < self.most * chance.uniform() ** 2
        every = 2 + (4 * chance.uniform()).long()
        start, length = chance.place(), chance.place()
        pattern = (beat + (5 * chance.uniform()).long()) % every == 0
        pattern &= (beat >= start) & (beat < start + length)
        ectopic = torch.where(chance.happens(PATTERNS), pattern, at_random)
        ectopic &= chance.happens(self.share) & crops.present
        ectopic[:, 1:] &= ~ectopic[:, :-1].clone()
        ectopic[:, -1] = False
        after = chance.uniform(EARLIEST, LATEST) + JITTER * chance.normal()
        early_ms = torch.where(ectopic, crops.rr_ms * (1 - after.clamp(0.35, 0.95)), 0.0)
        full = chance.happens(COMPENSATED)
        made_up = torch.where(full, torch.ones_like(after[:, :1]), chance.uniform(0.0, 0.4))
        rr_ms = crops.rr_ms - early_ms
        rr_ms[:, 1:] += (early_ms * made_up)[:, :-1]
        return replace(crops, rr_ms=rr_ms)


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of tachycardia, 3 to 28 regular fast beats, in rhythms other than AF."""

    share: float = 0.3

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Put a run into crops."""
        chance = Chance(crops, generator)
        beat = torch.arange(crops.shape[1], device=crops.rr_ms.device)
        start = chance.place()
        shortest, longest = RUN_BEATS
        length = shortest + ((longest - shortest) * chance.uniform() ** 2).long()
        inside = (beat >= start) & (beat < start + length) & (crops.label == 0)
        fast_ms = crops.rr_ms.gather(1, start) * chance.uniform(*RUN_RATE)
        steady = fast_ms.clamp(min=SHORTEST_MS) * (1 + 0.02 * chance.normal())
        return replace(
            crops, rr_ms=torch.where(inside & chance.happens(self.share), steady, crops.rr_ms)
        )

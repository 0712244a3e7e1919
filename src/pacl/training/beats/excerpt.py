"""Short recordings: all of a crop but a stretch of it is taken away.

```
crop       N N N N A A A A A A N N N N
excerpt    . . . . . A A A A A N . . .
```

A watch may hear a minute at a time. What is judged there has little around it.
"""

import math
from dataclasses import dataclass, replace

import torch

from pacl.training.beats.crops import Chance, Crops


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Stretches of `shortest` to `longest` beats, short ones as often as long ones."""

    share: float = 0.3
    shortest: int = 30
    longest: int = 600

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Cut crops short; the stretch that stays reaches into the middle half of a crop."""
        chance = Chance(crops, generator)
        beats = crops.shape[1]
        beat = torch.arange(beats, device=crops.rr_ms.device)
        low, high = math.log(self.shortest), math.log(self.longest)
        length = torch.exp(chance.uniform(low, high))
        first = (beats * chance.uniform(0.25, 0.75) - length * chance.uniform()).long()
        stays = (beat >= first) & (beat < first + length) | ~chance.happens(self.share)
        return replace(crops, present=crops.present & stays)

"""Respiratory-arrhythmia augmentation: intervals lengthen and shorten with each breath.

Young people have strong respiratory sinus arrhythmia. Patients with AF are old and have little of
it, so a network trained on them alone mistakes it for AF.

```
phase   one turn per breath of 2.5 to 12 s, with some jitter
rr      rr * exp(depth * sin(phase)),  depth changes linearly along the window
```
"""

import math

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.records import PLAUSIBLE_MS

DEEPEST = 0.2
"""Largest depth: the longest interval of a breath is exp(0.2) of the mean, the shortest exp(-0.2).
That is a range of 300 ms at a mean of 750 ms, as in deep breathing of young people."""

SHORTEST_S, LONGEST_S = 2.5, 12.0

WANDERING = 0.4
"""Largest phase jitter per beat, in radians."""


def respiratory_draws(beats: int) -> int:
    """How many random numbers one window needs."""
    return 6 + beats


def draw_respiration(
    windows: int, beats: int, generator: torch.Generator, device: torch.device | str
) -> Float[Tensor, "window draw"]:
    """Uniform random numbers for one batch, one row per window."""
    return torch.rand((windows, respiratory_draws(beats)), generator=generator, device=device)


def apply_respiration(
    rr_ms: Float[Tensor, "*run window beat"], draws: Float[Tensor, "*run window draw"], share: float
) -> Float[Tensor, "*run window beat"]:
    """Add respiratory arrhythmia to a share of the windows, of any rhythm; labels stay.

    `draws` come from `draw_respiration`, with the same leading axes as the windows.
    """
    beats = rr_ms.shape[-1]
    parts = torch.split(draws, [1, 1, 1, 1, 1, 1, beats], dim=-1)
    chosen, at_first, at_last, how_long, began, wanders, moved = parts
    along = torch.linspace(0.0, 1.0, beats, dtype=rr_ms.dtype, device=rr_ms.device)
    depth = DEEPEST * (at_first + (at_last - at_first) * along)
    breath_ms = 1000.0 * SHORTEST_S * (LONGEST_S / SHORTEST_S) ** how_long
    astray = (WANDERING * wanders * (2.0 * moved - 1.0)).cumsum(dim=-1)
    phase = 2 * math.pi * (began + rr_ms.cumsum(dim=-1) / breath_ms) + astray
    changed = (rr_ms * torch.exp(depth * torch.sin(phase))).clamp(*PLAUSIBLE_MS)
    return torch.where(chosen < share, changed, rr_ms)

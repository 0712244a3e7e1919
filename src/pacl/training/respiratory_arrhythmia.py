"""Breathing in training windows: intervals grow and shrink with it, in the young by a good part.

Patients with AF are old and their sinus rhythm hardly breathes. Whoever learned from them alone
takes a heart that does for one in AF.

```
phase   turns once a breath, a breath taking 2.5 to 12 s, with some wandering
rr      rr * exp(depth * sin(phase)),  depth going from one value to another along the window
```
"""

import math

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.records import PLAUSIBLE_MS

DEEPEST = 0.2
"""The longest interval of a breath is at most about exp(0.2) of the mean, the shortest as much
below it: 300 ms between them where the mean is 750 ms, which is deep breathing of the young."""

SHORTEST_S, LONGEST_S = 2.5, 12.0

WANDERING = 0.4
"""By at most so many radians a beat, before its own length, does a breath come early or late."""


def respiratory_draws(beats: int) -> int:
    """How many numbers are drawn for a window."""
    return 6 + beats


def draw_respiration(
    windows: int, beats: int, generator: torch.Generator, device: torch.device | str
) -> Float[Tensor, "window draw"]:
    """What chance has to say about the breathing of a batch: uniform numbers, so many a window."""
    return torch.rand((windows, respiratory_draws(beats)), generator=generator, device=device)


def apply_respiration(
    rr_ms: Float[Tensor, "*run window beat"], draws: Float[Tensor, "*run window draw"], share: float
) -> Float[Tensor, "*run window beat"]:
    """Let a share of the windows breathe, whatever their rhythm; AF that breathes is still AF.

    Parameters
    ----------
    rr_ms
        Windows in ms.
    draws
        What `draw_respiration` gave, with the same leading axes.
    share
        Which part of the windows breathe.
    """
    beats = rr_ms.shape[-1]
    parts = torch.split(draws, [1, 1, 1, 1, 1, 1, beats], dim=-1)
    breathes, at_first, at_last, how_long, began, wanders, moved = parts
    along = torch.linspace(0.0, 1.0, beats, dtype=rr_ms.dtype, device=rr_ms.device)
    depth = DEEPEST * (at_first + (at_last - at_first) * along)
    breath_ms = 1000.0 * SHORTEST_S * (LONGEST_S / SHORTEST_S) ** how_long
    astray = (WANDERING * wanders * (2.0 * moved - 1.0)).cumsum(dim=-1)
    phase = 2 * math.pi * (began + rr_ms.cumsum(dim=-1) / breath_ms) + astray
    breathing = (rr_ms * torch.exp(depth * torch.sin(phase))).clamp(*PLAUSIBLE_MS)
    return torch.where(breathes < share, breathing, rr_ms)

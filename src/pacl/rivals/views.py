"""Two views of a window, for self-supervised methods: as two recordings of one rhythm may differ.

Cropping and stretching, as for signals, would make sequences of intervals that are smoother than
real ones. Instead, in this order:

```
reversed    half of the windows run backwards      AF has no direction; sinus rhythm keeps its range
shuffled    half have four long blocks exchanged   beats keep their neighbours, but for three seams
rate        all beats scaled by one factor         the rhythm is in the differences of beats
moved       each beat by up to a few ms            as detectors do; AF differs by far more
respiratory arrhythmia and faults                  as in the training windows of all networks
```

Which of these, and how strong, is our choice; papers on signals do not cover RR intervals.
"""

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.rivals.system import AUGMENTATION

REVERSED = 0.5
SHUFFLED = 0.5
BLOCKS = 4
RATE = 0.15
"""Largest change of the rate, as a logarithm. The relative view ignores it, but respiration in
seconds and faults in ms act differently on a faster heart."""

MOVED_MS = 5.0
"""Largest shift of a beat."""


def draw_view(
    windows: int, beats: int, generator: torch.Generator, device: torch.device | str
) -> Float[Tensor, "window draw"]:
    """Uniform random numbers for one view of a batch, one row per window."""
    own = torch.rand((windows, 4 + BLOCKS + beats + 1), generator=generator, device=device)
    return torch.cat([own, AUGMENTATION.draw(windows, beats, generator, device)], dim=1)


def put_view(
    rr_ms: Float[Tensor, "window beat"], draws: Float[Tensor, "window draw"]
) -> Float[Tensor, "window beat"]:
    """Windows in ms, changed by the numbers of `draw_view`."""
    beats = rr_ms.shape[1]
    sizes = [1, 1, 1, 1, BLOCKS, beats + 1]
    backwards, mixes, rate, reach, order, moved, rest = torch.split(
        draws, [*sizes, draws.shape[1] - sum(sizes)], dim=1
    )
    rr_ms = torch.where(backwards < REVERSED, rr_ms.flip(1), rr_ms)
    rr_ms = torch.where(mixes < SHUFFLED, exchange_blocks(rr_ms, order), rr_ms)
    rr_ms = rr_ms * torch.exp(RATE * (2.0 * rate - 1.0))
    rr_ms = rr_ms + torch.diff(MOVED_MS * reach * (2.0 * moved - 1.0), dim=1)
    return AUGMENTATION.put(rr_ms, rest)


def exchange_blocks(
    rr_ms: Float[Tensor, "window beat"], order: Float[Tensor, "window block"]
) -> Float[Tensor, "window beat"]:
    """Blocks of equal length in random order; the remainder at the end stays.

    A block is a quarter of a window, long enough to show its rhythm.
    """
    windows, beats = rr_ms.shape
    blocks = order.shape[1]
    used = beats // blocks * blocks
    cut = rr_ms[:, :used].reshape(windows, blocks, -1)
    placed = cut.gather(1, order.argsort(dim=1)[:, :, None].expand_as(cut))
    return torch.cat([placed.reshape(windows, used), rr_ms[:, used:]], dim=1)


def two_views(
    rr_ms: Float[Tensor, "window beat"], generator: torch.Generator
) -> Float[Tensor, "view beat"]:
    """The first views of all windows, then the second views."""
    windows, beats = rr_ms.shape
    drawn = draw_view(2 * windows, beats, generator, rr_ms.device)
    return put_view(torch.cat([rr_ms, rr_ms]), drawn)

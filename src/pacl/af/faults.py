"""Simulated beat-detector faults in training windows: missed and false beats, coarse timing.

A missed beat turns two intervals into one, a false beat one into two. A window that becomes too
short is completed from its own beginning.
"""

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.records import PLAUSIBLE_MS

MOST = 0.12
"""Largest share of missed beats in a window; most windows with faults have far fewer."""

MADE_UP = 0.7
"""False beats per missed beat."""

BEYOND = 0.2
"""Share by which a window is made longer before faults shorten it."""

JITTER_MS = 8.0
"""Uncertainty within one sample of a slow recording: beats move by this before rounding."""

COARSEST_MS = 10.0


def draw_faults(
    windows: int, beats: int, generator: torch.Generator, device: torch.device | str
) -> Float[Tensor, "window draw"]:
    """Uniform random numbers for the faults of one batch, one row per window."""
    longer = beats + int(BEYOND * beats)
    return torch.rand((windows, 4 + 3 * longer + beats), generator=generator, device=device)


def put_faults(
    rr_ms: Float[Tensor, "*run window beat"], draws: Float[Tensor, "*run window draw"], share: float
) -> Float[Tensor, "*run window beat"]:
    """Put faults into a share of the windows, and coarse timing into an independent share.

    `draws` come from `draw_faults`, with the same leading axes as the windows.
    """
    beats = rr_ms.shape[-1]
    longer = beats + int(BEYOND * beats)
    parts = torch.split(draws, [1, 1, 1, 1, longer, longer, longer, beats], dim=-1)
    faulty, rounded, size, how_many, missed, made_up, where, moved = parts
    rate = MOST * how_many.square() * (faulty < share)
    rr_ms = _with_beats(rr_ms, missed < rate, made_up < MADE_UP * rate, where)
    step_ms = 1.0 + (COARSEST_MS - 1.0) * size
    coarse = ((rr_ms + JITTER_MS * (moved - 0.5)) / step_ms).round() * step_ms
    return torch.where(rounded < share, coarse, rr_ms).clamp(*PLAUSIBLE_MS)


def _with_beats(rr_ms: Tensor, missed: Tensor, made_up: Tensor, where: Tensor) -> Tensor:
    """Remove missed beats and insert false ones."""
    beats = rr_ms.shape[-1]
    spare = missed.shape[-1] - beats + made_up.sum(dim=-1, keepdim=True)
    missed = missed & (missed.cumsum(dim=-1) <= spare)  # else too few beats would be left
    rr_ms = torch.cat([rr_ms, rr_ms[..., : missed.shape[-1] - beats]], dim=-1)
    ends_ms = rr_ms.cumsum(dim=-1)
    between_ms = ends_ms - rr_ms * (0.25 + 0.5 * where)
    never = torch.full_like(ends_ms, torch.inf)
    times_ms = torch.cat(
        [torch.where(missed, never, ends_ms), torch.where(made_up, between_ms, never)], dim=-1
    )
    ordered = times_ms.sort(dim=-1).values[..., :beats]
    return torch.diff(ordered, dim=-1, prepend=torch.zeros_like(ordered[..., :1]))

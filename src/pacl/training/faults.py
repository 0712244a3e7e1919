"""A beat detector's faults in training windows: beats missed or made up, another time resolution.

Where a beat is missed two intervals become one; where one is made up, one becomes two. What a
window lacks afterwards it takes from its own beginning.
"""

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.records import PLAUSIBLE_MS

MOST = 0.12
"""Of the beats of a window, at most so many are missed; most windows with faults have far fewer."""

MADE_UP = 0.7
"""Beats made up for each that is missed."""

BEYOND = 0.2
"""How much longer a window is made, as a share, before faults shorten it."""

JITTER_MS = 8.0
"""What one sample of a slow recording can hide: beats move within it before they are rounded."""

COARSEST_MS = 10.0


def draw_faults(
    windows: int, beats: int, generator: torch.Generator, device: torch.device | str
) -> Float[Tensor, "window draw"]:
    """What chance has to say about the faults of a batch: uniform numbers, so many a window."""
    longer = beats + int(BEYOND * beats)
    return torch.rand((windows, 4 + 3 * longer + beats), generator=generator, device=device)


def put_faults(
    rr_ms: Float[Tensor, "*run window beat"], draws: Float[Tensor, "*run window draw"], share: float
) -> Float[Tensor, "*run window beat"]:
    """Put faults into a share of the windows; rounding to another resolution into as many others.

    Parameters
    ----------
    rr_ms
        Windows in ms.
    draws
        What `draw_faults` gave, with the same leading axes.
    share
        Which part of the windows have beats missed and made up, and which part, drawn apart, are
        rounded.
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
    """Leave beats out and put others in between."""
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

"""Dropout with masks that are drawn beforehand, from the generator of the run.

A mask holds 0 where a value is dropped and 1 / (1 - p) where it is kept. Because masks are an input
of the network, each run has its own random numbers, also where runs share a program.
"""

import math
from collections.abc import Iterable, Mapping
from typing import get_args

import torch
from torch import Tensor

from pacl.axes import Int16
from pacl.models.errors import ModelError
from pacl.settings import Place

LEVELS = 2**16
"""Probabilities of dropout are multiples of 1 / LEVELS."""

Masks = dict[str, Tensor]
"""By place."""


def checked_places(places: Iterable[str]) -> tuple[Place, ...]:
    """The places in the order of the network; an error if one is unknown."""
    places = set(places)
    if unknown := sorted(places - set(get_args(Place))):
        raise ModelError(
            f"dropout at {', '.join(unknown)}; places are {', '.join(get_args(Place))}"
        )
    return tuple(place for place in get_args(Place) if place in places)


def random_bits(
    count: int, generator: torch.Generator | None, device: torch.device
) -> Int16[Tensor, "value"]:
    """Sixteen random bits for each of `count` values; four values cost one draw."""
    draws = torch.empty(-(-count // 4), dtype=torch.int64, device=device)
    return draws.random_(-(2**63), None, generator=generator).view(torch.int16)[:count]


def split_masks(
    bits: Int16[Tensor, "*run value"],
    shapes: Mapping[Place, tuple[int, ...]],
    dropout: float,
    dtype: torch.dtype,
) -> Masks:
    """Masks of the given shapes: 0 for the lowest bits, else 1 / (1 - p)."""
    lowest = min(round(dropout * LEVELS), LEVELS - 1)
    kept = (bits >= lowest - LEVELS // 2).to(dtype).mul_(LEVELS / (LEVELS - lowest))
    parts = torch.split(kept, [math.prod(shape) for shape in shapes.values()], dim=-1)
    return {
        place: part.view(*bits.shape[:-1], *shape)
        for part, (place, shape) in zip(parts, shapes.items(), strict=True)
    }

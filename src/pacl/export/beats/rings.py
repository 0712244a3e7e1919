"""Memory of the C file of a beat network: older columns of each block, in ring buffers.

Blocks with a large dilation need most of the memory. Those that only look back keep their older
columns as bytes, multiples of a scale. The newest column passes unrounded, so rounding does not
accumulate over blocks.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch

from pacl.af.networks import INPUTS, BeatNetwork, beat_inputs
from pacl.axes import Array, Float32
from pacl.export.beats.folded import PlainBlock, PlainNetwork
from pacl.export.errors import ExportError

ROUNDED_FROM = 8
"""Smallest dilation of blocks that keep bytes."""

LARGEST_SHARE = 0.9999
"""Share of the inputs of a block that a byte can represent. Larger ones are clipped."""

_BITS = 16


@dataclass(frozen=True, slots=True)
class Ring:
    """Older columns of a block: where they lie, how many, and what a byte of them is worth.

    With a scale of 0 they are kept in single precision.
    """

    place: int
    slots: int
    scale: float


@dataclass(frozen=True, slots=True)
class Rings:
    """Rings of all blocks; `exact` are the floats and `rounded` the bytes that they take.

    Each holds at least a column: C has no empty arrays, and compilers see loops over columns.
    """

    rings: tuple[Ring, ...]
    exact: int
    rounded: int

    @classmethod
    def of(cls, folded: PlainNetwork, scales: Sequence[float]) -> "Rings":
        """With a scale for each block, 0 for those that keep floats."""
        found, taken = [], {True: 0, False: 0}
        for block, scale in zip(folded.blocks, scales, strict=True):
            slots = block.before + block.after
            found.append(Ring(taken[scale > 0], slots, scale))
            taken[scale > 0] += slots * folded.channels
        return cls(tuple(found), *(max(taken[kind], folded.channels) for kind in (False, True)))

    def ram_bytes(self, folded: PlainNetwork, lag: int) -> int:
        """Of the struct that holds all of a stream: `pacl_af_stream` in `template/declared.c`."""
        decoder = _upto(8, 2 * 8 + 4 * 4 + 5 * (lag + 1))
        inputs = INPUTS * (folded.first.weight.shape[2] - 1)
        floats = folded.mean_beats - 1 + max(1, inputs) + self.exact + 3 * folded.channels
        whole = len(self.rings) + 3
        return _upto(8, decoder + 4 * (floats + whole + 1) + _upto(4, self.rounded))


def _upto(size: int, count: int) -> int:
    return -(-count // size) * size


def is_rounded(block: PlainBlock) -> bool:
    """Whether a block keeps bytes, in a file of bytes."""
    return block.looks_back_alone and block.dilation >= ROUNDED_FROM and block.before > 0


@torch.no_grad()
def scales_of(
    network: BeatNetwork, folded: PlainNetwork, examples: Sequence[Float32[Array, "_"]]
) -> list[float]:
    """Scales for the blocks that keep bytes, from their inputs in recordings; 0 for others.

    `examples` are intervals in ms, one array per stretch; some hours of several people are enough.
    """
    if not any(one.size for one in examples):
        raise ExportError(
            "no example recordings; int8 needs them for the scales, give examples or int8=False"
        )
    network = deepcopy(network).cpu().float().eval()
    counts = np.zeros((len(folded.blocks), 2 ** (31 - _BITS)), dtype=np.int64)
    for rr_ms in examples:
        given = torch.from_numpy(np.ascontiguousarray(rr_ms, dtype=np.float32))[None]
        there = torch.ones_like(given, dtype=torch.bool)
        before = torch.zeros(1, folded.behind)
        given, there = torch.cat([before, given], 1), torch.cat([before.bool(), there], 1)
        found = network.first(beat_inputs(given, there, folded.mean_beats, folded.mean_ahead))
        for number, block in enumerate(network.blocks):
            counts[number] += _counted(found.numpy())
            found = block(found)
    return [
        _largest(row) / 127 if is_rounded(block) else 0.0
        for block, row in zip(folded.blocks, counts, strict=True)
    ]


def _counted(values: Float32[Array, "..."]) -> Array:
    """How many numbers have the same upper bits: such are within a hundredth of each other."""
    upper = np.abs(values).view(np.int32).ravel() >> _BITS
    return np.bincount(upper, minlength=2 ** (31 - _BITS))


def _largest(counts: Array) -> float:
    """The number that only a few are above."""
    reached = np.searchsorted(np.cumsum(counts), LARGEST_SHARE * counts.sum())
    largest = np.array([(reached + 1) << _BITS], dtype=np.int32).view(np.float32)[0]
    return max(float(largest), 1e-6)

"""Formats of WFDB signal files: from bytes to the numbers of the converter."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Int, UInt8

Bytes = UInt8[Array, "byte"]
Samples = Int[Array, "sample"]


@dataclass(frozen=True, slots=True)
class SignalFormat:
    """How samples are packed.

    Parameters
    ----------
    block_samples, block_bytes
        Samples that are packed together, and the bytes they take.
    partial
        Bytes that the first 0, 1, ... samples of a block need.
    lowest
        The number that marks a missing sample.
    decode
        Turns bytes of whole blocks into numbers.
    bits
        Size of the numbers.
    """

    block_samples: int
    block_bytes: int
    partial: tuple[int, ...]
    lowest: int | None
    bits: int
    decode: Callable[[Bytes], Samples]

    def bytes_for(self, samples: int) -> int:
        """Bytes that some samples need."""
        blocks, rest = divmod(samples, self.block_samples)
        return blocks * self.block_bytes + self.partial[rest]

    def samples_in(self, size: int) -> int:
        """Samples that are complete in some bytes."""
        blocks, rest = divmod(size, self.block_bytes)
        more = max(count for count, needed in enumerate(self.partial) if needed <= rest)
        return blocks * self.block_samples + more

    def samples(self, content: bytes, count: int) -> Samples:
        """The first `count` samples of some bytes, which begin with a block."""
        raw = np.frombuffer(content, np.uint8)
        if short := -raw.size % self.block_bytes:
            raw = np.append(raw, np.zeros(short, np.uint8))
        found: Samples = self.decode(raw)[:count]
        return found


def _as(kind: str) -> Callable[[Bytes], Samples]:
    def decode(raw: Bytes) -> Samples:
        found: Samples = raw.view(kind)
        return found

    return decode


def _offset_8(raw: Bytes) -> Samples:
    return raw.astype(np.int16) - 128


def _offset_16(raw: Bytes) -> Samples:
    return raw.view("<u2").astype(np.int32) - 32768


def _packed_12(raw: Bytes) -> Samples:
    """Two samples in three bytes; the middle byte has the high four bits of both."""
    low, middle, last = raw.reshape(-1, 3).T
    found = np.empty((low.size, 2), np.int16)
    found[:, 0] = ((middle.astype(np.int16) << 12) >> 4) | low
    found[:, 1] = ((middle.view(np.int8) >> 4).astype(np.int16) << 8) | last
    return found.reshape(-1)


def signed_24(raw: Bytes) -> Samples:
    """Three bytes a sample, the lowest first."""
    wide = np.zeros((raw.size // 3, 4), np.uint8)
    wide[:, 1:] = raw.reshape(-1, 3)
    found: Samples = wide.view("<i4").reshape(-1) >> 8
    return found


def _packed_10_in_words(raw: Bytes) -> Samples:
    """Three samples in two words: one above bit 0 of each, the third in the upper five of both."""
    first, second = raw.view("<u2").reshape(-1, 2).T
    found = np.empty((first.size, 3), np.int16)
    found[:, 0] = first >> 1
    found[:, 1] = second >> 1
    found[:, 2] = (first >> 11) | ((second >> 11) << 5)
    return _signed_10(found)


def _packed_10(raw: Bytes) -> Samples:
    """Three samples in the lower 30 bits of a word of four bytes."""
    word = raw.view("<u4")
    found = np.empty((word.size, 3), np.int16)
    for at in range(3):
        found[:, at] = (word >> (10 * at)) & 0x3FF
    return _signed_10(found)


def _signed_10(found: Int[Array, "block three"]) -> Samples:
    return ((found << 6) >> 6).reshape(-1)


def _whole(size: int, kind: str, lowest: int | None) -> SignalFormat:
    return SignalFormat(1, size, (0,), lowest, 8 * size, _as(kind))


FORMATS = {
    "8": _whole(1, "<i1", None),
    "16": _whole(2, "<i2", -(2**15)),
    "24": SignalFormat(1, 3, (0,), -(2**23), 24, signed_24),
    "32": _whole(4, "<i4", -(2**31)),
    "61": _whole(2, ">i2", -(2**15)),
    "80": SignalFormat(1, 1, (0,), -(2**7), 8, _offset_8),
    "160": SignalFormat(1, 2, (0,), -(2**15), 16, _offset_16),
    "212": SignalFormat(2, 3, (0, 2), -(2**11), 12, _packed_12),
    "310": SignalFormat(3, 4, (0, 2, 4), -(2**9), 10, _packed_10_in_words),
    "311": SignalFormat(3, 4, (0, 2, 3), -(2**9), 10, _packed_10),
}
"""Formats that are read, by the number a header has. Format 8 holds first differences."""

WHOLE_BLOCKS = 6
"""A multiple of this many samples ends with a block in all formats."""

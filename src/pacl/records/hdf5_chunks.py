"""Compressed chunks of an HDF5 dataset, decompressed to the declared length only.

HDF5 itself decompresses a chunk to any length, so that a file of 5 kB can use all memory. Here a
chunk that does not have exactly its declared length is refused.
"""

import itertools
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from pacl.axes import Array

DEFLATE, SHUFFLE = 1, 2
"""Numbers of filters, the same in all HDF5 files."""

MAX_CHUNKS = 100_000
"""A day of beats usually has one or two chunks."""


def read_chunks(dataset: Any, chunk: tuple[int, ...], filters: Sequence[int]) -> Array:
    """Read a low-level dataset with chunks of this shape; type, shape and filters were checked.

    `filters` are in the order in which they were applied: `DEFLATE` and `SHUFFLE`.
    """
    dtype, shape = dataset.dtype, dataset.shape
    values = np.empty(shape, dtype)
    steps = [range(0, size, width) for size, width in zip(shape, chunk, strict=True)]
    if math.prod(map(len, steps)) > MAX_CHUNKS:
        raise ValueError(f"more than {MAX_CHUNKS:,} chunks, repack it with larger ones")
    for start in itertools.product(*steps):
        skipped, packed = dataset.read_direct_chunk(start)
        block = np.frombuffer(_unpack(packed, skipped, chunk, dtype, filters), dtype).reshape(chunk)
        place = tuple(slice(at, at + width) for at, width in zip(start, chunk, strict=True))
        part = values[place]
        part[...] = block[tuple(slice(0, size) for size in part.shape)]
    return values


def _unpack(
    content: bytes, skipped: int, chunk: tuple[int, ...], dtype: Any, filters: Sequence[int]
) -> bytes:
    """The bytes of a chunk before its filters; bit n of `skipped`: filter n was not run."""
    size = math.prod(chunk) * dtype.itemsize
    for number, kind in reversed(list(enumerate(filters))):
        if skipped >> number & 1:
            continue
        if kind == DEFLATE:
            stream = zlib.decompressobj()
            content = stream.decompress(content, size + 1)
            if len(content) <= size and not stream.eof:
                raise ValueError("a chunk is cut")
        elif len(content) == size:
            by_byte = np.frombuffer(content, np.uint8).reshape(dtype.itemsize, -1)
            content = by_byte.T.tobytes()
    if len(content) != size:
        raise ValueError(f"a chunk unpacks to another length than its {size:,} bytes")
    return content

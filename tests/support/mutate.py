"""Damage to files, as disks, networks and people do it; the same seed does the same damage."""

from collections.abc import Iterator

import numpy as np


def damaged(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """`content` with bytes flipped, cut, repeated, inserted, zeroed or swapped."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        out = bytearray(content)
        for _ in range(int(rng.integers(1, 4))):
            if not out:
                break
            start = int(rng.integers(len(out)))
            length = int(rng.integers(1, max(2, min(64, len(out)))))
            match rng.integers(6):
                case 0:
                    out[start] ^= 1 << int(rng.integers(8))
                case 1:
                    del out[start:]
                case 2:
                    out[start:start] = out[start : start + length]
                case 3:
                    out[start:start] = rng.bytes(length)
                case 4:
                    out[start : start + length] = bytes(len(out[start : start + length]))
                case 5:
                    del out[start : start + length]
        yield bytes(out)

"""Damage to files, as disks, networks and people do it; the same seed does the same damage."""

from collections.abc import Iterator

import numpy as np

TROUBLE = (
    *(b"nan", b"-1", b"1e999", b"inf", b"99999999999999999999", b"0x10", b"1_0", b"\xd9\xa3"),
    *(b"\0", b"\r", b'"', b"\x1b[2J", b"\xff\xfe", b"\xef\xbb\xbf", b"../x", b"{}", b"[[[[", b"\\"),
)
"""What readers stumble over: strange numbers, quotes, other encodings, terminal commands."""

_EXTREMES = (bytes(8), b"\xff" * 8, b"\xff" * 7 + b"\x7f", bytes(7) + b"\x80")


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
            match rng.integers(8):
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
                case 6:
                    trouble = TROUBLE[int(rng.integers(len(TROUBLE)))]
                    replaced = int(rng.integers(2)) * length // 8
                    out[start : start + replaced] = trouble
                case 7:
                    out[start : start + 8] = _EXTREMES[int(rng.integers(len(_EXTREMES)))]
        yield bytes(out)

"""What is plainly wrong: a flat line, a signal at its limit, times without beats, absurd rates."""

from collections.abc import Iterator

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64
from pacl.spans import NotJudged, runs

FLAT = "a flat line: lead off"
LIMIT = "the signal is at its limit"
NO_BEAT = "no beat found"
TOO_FAST = "more than 220 beats a minute: rather noise"

BLOCK_S = 1.0
LEAST_RANGE, FULL_RANGE, LEAST_MV = 0.01, 99, 0.01
"""A lead is flat where it moves by less than 0.01 mV in a second, or by less than a hundredth of
its largest range (99th percentile): most of a recording may be flat."""

AT_LIMIT = 0.3
"""Share of a second at the lowest or highest value of the whole recording."""

LONGEST_S = 4.0
"""A longer time without a beat is not judged: a beat may have been missed."""

FASTEST_S, FAST_BEATS = 60 / 220, 10


def signal_trouble(millivolts: Float32[Array, "lead sample"], fs_hz: float) -> Iterator[NotJudged]:
    """Seconds in which no lead has a signal."""
    block = int(BLOCK_S * fs_hz)
    blocks = millivolts.shape[1] // block
    if not blocks:
        return
    flat, limit = np.ones(blocks, dtype=np.bool_), np.ones(blocks, dtype=np.bool_)
    for lead in millivolts:
        pieces = lead[: blocks * block].reshape(blocks, block)
        low, high = pieces.min(axis=1), pieces.max(axis=1)
        least = max(LEAST_RANGE * float(np.percentile(high - low, FULL_RANGE)), LEAST_MV)
        flat &= high - low <= least
        limit &= _at_limit(pieces, low, high)
    for why, found in ((LIMIT, limit), (FLAT, flat & ~limit)):
        for start, stop in runs(found):
            yield NotJudged(start * block / fs_hz, stop * block / fs_hz, why)


def _at_limit(
    pieces: Float32[Array, "block sample"],
    low: Float32[Array, "block"],
    high: Float32[Array, "block"],
) -> Bool[Array, "block"]:
    """Blocks that stay at the lowest or highest value of all."""
    found = np.zeros(len(pieces), dtype=np.bool_)
    if low.min() == high.max():
        return found  # one value throughout is no limit
    touched = np.flatnonzero((low == low.min()) | (high == high.max()))
    for some in np.array_split(touched, touched.size // 1000 + 1):
        part = pieces[some]
        share = np.maximum((part == low.min()).mean(axis=1), (part == high.max()).mean(axis=1))
        found[some] = share >= AT_LIMIT
    return found


def beat_trouble(at_s: Float64[Array, "beat"]) -> Iterator[NotJudged]:
    """Times without a beat, and beats faster than a heart."""
    steps_s = np.diff(at_s)
    for at in np.flatnonzero(steps_s > LONGEST_S).tolist():
        yield NotJudged(float(at_s[at]), float(at_s[at + 1]), NO_BEAT)
    fast = np.zeros(at_s.size, dtype=np.bool_)
    too_fast = at_s[FAST_BEATS:] - at_s[:-FAST_BEATS] < FAST_BEATS * FASTEST_S
    for first in np.flatnonzero(too_fast).tolist():
        fast[first : first + FAST_BEATS + 1] = True
    for low, high in runs(fast):
        yield NotJudged(float(at_s[low]), float(at_s[high - 1]), TOO_FAST)

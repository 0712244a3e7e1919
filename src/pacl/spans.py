"""Spans of time or of samples: joined, intersected, and how much of them lies before a time.

Spans are half-open. Spans closer together than `TOUCHING_S` touch, and shorter ones are empty:
times are sums of many intervals, and rounding must not separate them. Integer samples are exact.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64, Real

Spans: TypeAlias = Real[Array, "_ 2"]
"""Starts and ends, in order, none reaching into the next."""

TOUCHING_S = 1e-6


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A stretch of time that is not judged, and the reason."""

    start_s: float
    end_s: float
    why: str


def joined(spans: Iterable[tuple[float, float]] | Real[Array, "_ 2"]) -> Spans:
    """Spans in any order; those that overlap or touch become one, empty ones vanish."""
    raw = np.asarray(spans if isinstance(spans, np.ndarray) else list(spans)).reshape(-1, 2)
    raw = raw[raw[:, 1] - raw[:, 0] > TOUCHING_S]
    raw = raw[np.argsort(raw[:, 0], kind="stable")]
    reached = np.maximum.accumulate(raw[:, 1])  # the latest end so far
    first = np.ones(len(raw), dtype=np.bool_)
    first[1:] = raw[1:, 0] - reached[:-1] > TOUCHING_S
    return np.stack([raw[first, 0], reached[np.roll(first, -1)]], axis=1)


def intersect(one: Spans, other: Spans) -> Spans:
    """Time in both; cut where either is cut."""
    first = np.searchsorted(other[:, 1], one[:, 0], side="right")
    stop = np.searchsorted(other[:, 0], one[:, 1], side="left")
    count = np.maximum(stop - first, 0)
    mine, theirs = np.repeat(one, count, axis=0), other[numbers_in(first, count)]
    low, high = np.maximum(mine[:, 0], theirs[:, 0]), np.minimum(mine[:, 1], theirs[:, 1])
    found: Spans = np.stack([low, high], axis=1)[high - low > TOUCHING_S]
    return found


def overlaps(spans: Spans, others: Spans) -> Bool[Array, "_"]:
    """Which spans overlap any of the others; spans that only touch do not."""
    started = np.searchsorted(others[:, 0], spans[:, 1] - TOUCHING_S, side="left")
    ended = np.searchsorted(others[:, 1], spans[:, 0] + TOUCHING_S, side="right")
    found: Bool[Array, "_"] = ended < started
    return found


def total_s(spans: Spans) -> float:
    """Total length of all spans, in seconds or samples."""
    return float((spans[:, 1] - spans[:, 0]).sum())


def seconds_before(spans: Spans, at: Real[Array, "time"]) -> Float64[Array, "time"]:
    """How much of the spans lies before each of some times."""
    if not len(spans):
        return np.zeros(len(at))
    elapsed = np.append(0.0, np.cumsum(spans[:, 1] - spans[:, 0]))
    edges = np.maximum.accumulate(spans.ravel())  # a step may overlap the next by rounding
    return np.asarray(np.interp(at, edges, np.repeat(elapsed, 2)[1:-1]))


def numbers_in(start: Int64[Array, "range"], length: Int64[Array, "range"]) -> Int64[Array, "_"]:
    """All whole numbers within ranges, one range after the other."""
    numbers: Int64[Array, "_"] = np.arange(length.sum())
    numbers += np.repeat(start - (np.cumsum(length) - length), length)
    return numbers


def runs(mask: Bool[Array, "_"]) -> Iterator[tuple[int, int]]:
    """Half-open ranges where a mask holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)

"""The detector: the 200 Hz grid, missed and invented beats, lost signal, calibration.

No fault creates or destroys time: a missed beat merges two intervals, an invented one splits an
interval, lost signal merges many. Intervals still tile the recording afterwards.
"""

import numpy as np

from pacl.axes import Array, Bool, Float32, Int, Int64, UInt8
from pacl.records.simulate.physiology import Kind, QrsDetector
from pacl.records.simulate.places import clustered

GRID_MS = 5
"""Beats are on the samples of a 200 Hz recording."""

LONGEST_LOSS_MS = 46_860
"""No interval of IRIDIA-AF is longer."""

SHORTEST_PART_MS = 25
"""Shortest interval between two detections without blanking."""

CALIBRATION_S = 30
DAY_MS = 86_400_000


def on_grid(rr_ms: Float32[Array, "beat"]) -> Int[Array, "beat"]:
    """Round to whole samples; also keeps even a damaged interval at 200 ms or more."""
    grid = np.rint(rr_ms * np.float32(1 / GRID_MS)).astype(np.int32)
    grid *= GRID_MS
    return np.maximum(grid, 200, out=grid)


def add_faults(
    rr_ms: Int[Array, "beat"],
    kind: UInt8[Array, "beat"],
    detector: QrsDetector,
    generator: np.random.Generator,
) -> tuple[Int[Array, "seen"], UInt8[Array, "seen"]]:
    """The detected intervals: the same time, other beats."""
    dropped = np.zeros(rr_ms.size, dtype=bool)
    dropped[1:][clustered(rr_ms.size - 1, detector.missed, detector.clustering, generator)] = True
    if dropped.any():
        rr_ms, kind = merge(rr_ms, kind, dropped, Kind.MISSED)
    at = clustered(rr_ms.size, detector.extra, detector.clustering, generator)
    shortest = max(detector.blanking_ms, SHORTEST_PART_MS)
    at = at[rr_ms[at] >= 2 * shortest]
    if at.size:
        share = generator.uniform(0.3, 0.5, at.size)
        first = GRID_MS * np.rint(rr_ms[at] * share / GRID_MS).astype(np.int32)
        first = np.maximum(first, shortest)
        if not detector.blanking_ms:
            soon = generator.random(at.size) < 0.1
            first[soon] = SHORTEST_PART_MS
        first[generator.random(at.size) < detector.doubled] = 0
        rr_ms, kind = split(rr_ms, kind, at, first)
    return _lose(rr_ms, kind, detector, generator)


def merge(
    rr_ms: Int[Array, "beat"],
    kind: UInt8[Array, "beat"],
    dropped: Bool[Array, "beat"],
    as_kind: Kind,
) -> tuple[Int[Array, "seen"], UInt8[Array, "seen"]]:
    """Add each interval whose first beat is dropped to the one before it."""
    starts = np.flatnonzero(~dropped)
    merged = kind[starts]
    merged[np.searchsorted(starts, np.flatnonzero(dropped)) - 1] = as_kind
    return np.add.reduceat(rr_ms, starts, dtype=rr_ms.dtype), merged


def split(
    rr_ms: Int[Array, "beat"],
    kind: UInt8[Array, "beat"],
    at: Int64[Array, "place"],
    first_ms: Int[Array, "place"],
) -> tuple[Int[Array, "seen"], UInt8[Array, "seen"]]:
    """Cut intervals `at` in two, the first part lasting `first_ms`."""
    rest = rr_ms[at] - first_ms
    rr_ms, kind = rr_ms.copy(), kind.copy()
    rr_ms[at], kind[at] = first_ms, Kind.EXTRA
    return np.insert(rr_ms, at + 1, rest), np.insert(kind, at + 1, np.uint8(Kind.EXTRA))


def calibration_rr(generator: np.random.Generator) -> Int[Array, "beat"]:
    """Detections in the calibration signal: random intervals for half a minute."""
    rr = GRID_MS * generator.integers(40, 400, 1000 * CALIBRATION_S // 200, dtype=np.int32)
    elapsed = np.cumsum(rr)
    return rr[: int(np.searchsorted(elapsed, 1000 * CALIBRATION_S)) + 1]


def _lose(
    rr_ms: Int[Array, "beat"],
    kind: UInt8[Array, "beat"],
    detector: QrsDetector,
    generator: np.random.Generator,
) -> tuple[Int[Array, "seen"], UInt8[Array, "seen"]]:
    """Merge all beats of each loss of signal into one interval."""
    elapsed = np.cumsum(rr_ms, dtype=np.int64)
    count = generator.poisson(detector.losses_per_day * float(elapsed[-1]) / DAY_MS)
    if not count or rr_ms.size < 3:
        return rr_ms, kind
    starts = np.sort(generator.integers(0, rr_ms.size - 1, count))
    length_ms = 1000 * detector.loss_s * np.exp(0.8 * generator.standard_normal(count))
    until = elapsed[starts] - rr_ms[starts] + np.minimum(length_ms, LONGEST_LOSS_MS)
    stops = np.searchsorted(elapsed, until, side="right")  # intervals wholly within the loss
    clear = np.append(True, starts[1:] > np.maximum.accumulate(stops)[:-1])
    complete = clear & (stops > starts + 1)
    edges = np.zeros(rr_ms.size + 1, dtype=np.int8)
    edges[starts[complete] + 1] = 1
    edges[stops[complete]] = -1
    return merge(rr_ms, kind, np.cumsum(edges[:-1], dtype=np.int8) > 0, Kind.LOST)

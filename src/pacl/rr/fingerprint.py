"""Fingerprints of beats: the same recording is recognised under any name and any scale.

A fingerprint is a hash of how 32 beats in a row compare, each with the five before it: longer,
equal or shorter. It does not change when a recording is shifted, scaled, renamed or cut. Only
hashes that end in zeros are kept, so that two sets keep the same ones.
"""

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64, Real, UInt64
from pacl.rr.store import RRWindowSet

BEATS = 32
LAGS = (1, 2, 3, 4, 5)
ONE_IN = 32
MOST_EQUAL = BEATS * len(LAGS) // 2
"""Comparisons of a stretch that may find equal beats; coarse clocks make a third of them so."""
LEAST = 2
"""A recording is recognised by this many; no two patients of LTAFDB and AFDB share even one."""
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)


def fingerprints(windows: RRWindowSet) -> dict[str, UInt64[Array, "print"]]:
    """The fingerprints of each record's beats in a window set."""
    table = windows.table
    low, high = int(table.start.min()), int(table.start.max()) + windows.window_beats
    at, found = _chosen(windows.rr_ms[low:high])
    at += low
    found_of: dict[str, UInt64[Array, "print"]] = {}
    for code in np.unique(table.record.codes):
        starts = table.start[table.record.codes == code]
        inside = _covered(at, starts, windows.window_beats)
        found_of[table.record.names[code]] = np.unique(found[inside])
    return found_of


def beat_prints(rr_ms: Real[Array, "beat"]) -> UInt64[Array, "print"]:
    """The fingerprints of a recording's beats, each once."""
    return np.unique(_chosen(rr_ms)[1])


def recognised(prints: dict[str, UInt64[Array, "print"]], seen: UInt64[Array, "seen"]) -> list[str]:
    """The records that are among those `seen`, by their fingerprints."""
    return sorted(
        record for record, own in prints.items() if np.count_nonzero(np.isin(own, seen)) >= LEAST
    )


def _chosen(rr: Real[Array, "beat"]) -> tuple[Int64[Array, "print"], UInt64[Array, "print"]]:
    """Where the fingerprints begin that are kept, and what they are."""
    values = np.asarray(rr, dtype=np.float64)
    code = np.zeros(values.size, dtype=np.uint64)
    for lag in LAGS:
        step = np.zeros(values.size, dtype=np.int8)
        step[lag:] = np.sign(values[lag:] - values[:-lag])
        code = code * np.uint64(3) + (step + 1).astype(np.uint64)
    first = max(LAGS)  # its comparisons are all within the stretch that is hashed
    stretches = values.size - BEATS + 1
    if stretches <= 0:
        return np.empty(0, np.int64), np.empty(0, np.uint64)
    powers = _powers(_BASE, values.size)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(code * powers, dtype=np.uint64)])
    # The comparisons of beats from `first` on of each stretch, brought back to the same power.
    hashed = (sums[BEATS:] - sums[first : first + stretches]) * _powers(_INVERSE, stretches)
    hashed = _mixed(hashed)
    at = np.flatnonzero((hashed % np.uint64(ONE_IN) == 0) & _is_distinct(values))
    return at, hashed[at]


def _is_distinct(values: Float64[Array, "beat"]) -> Bool[Array, "stretch"]:
    """Stretches in which few beats equal one before: those of paced rhythms are too similar."""
    equal = np.zeros(values.size, dtype=np.int64)
    for lag in LAGS:
        equal[lag:] += values[lag:] == values[:-lag]
    sums = np.concatenate([[0], np.cumsum(equal)])
    distinct: Bool[Array, "stretch"] = sums[BEATS:] - sums[:-BEATS] <= MOST_EQUAL
    return distinct


def _powers(base: int, count: int) -> UInt64[Array, "power"]:
    """1, base, base squared, ... modulo 2 to the 64."""
    factors = np.full(count, base, dtype=np.uint64)
    factors[:1] = 1
    powers: UInt64[Array, "power"] = np.cumprod(factors, dtype=np.uint64)
    return powers


def _mixed(values: UInt64[Array, "value"]) -> UInt64[Array, "value"]:
    """Mix the bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UInt64[Array, "value"] = values ^ (values >> np.uint64(31))
    return mixed


def _covered(
    at: Int64[Array, "print"], starts: Int64[Array, "window"], window_beats: int
) -> Bool[Array, "print"]:
    """Which stretches are completely within beats that windows cover."""
    first, last = int(starts.min()), int(starts.max()) + window_beats
    edges = np.zeros(last - first + 1, dtype=np.int64)
    np.add.at(edges, starts - first, 1)
    np.add.at(edges, starts - first + window_beats, -1)
    covered = np.concatenate([[0], np.cumsum(np.cumsum(edges)[:-1] > 0)])
    begin = at - first
    near = (begin >= 0) & (begin + BEATS < covered.size)
    begin = np.where(near, begin, 0)
    complete = covered[np.minimum(begin + BEATS, covered.size - 1)] - covered[begin] == BEATS
    inside: Bool[Array, "print"] = near & complete
    return inside

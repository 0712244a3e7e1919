"""Ectopic beats, the pauses that follow them, atrial runs and sinus pauses.

An atrial ectopic beat resets the sinus node: the next interval is little longer than a sinus
interval, and what was lost stays lost. A ventricular one does not reach the sinus node: the
pause after it is fully compensatory, and the two intervals together last as long as two sinus
intervals (Zipes and Jalife, Cardiac Electrophysiology).
"""

import numpy as np

from pacl.axes import Array, Bool, Float32, Int64, UInt8
from pacl.records.simulate.physiology import Ectopy, Kind
from pacl.records.simulate.places import apart, clustered, free, ranges


def disturb_sinus(
    rr_ms: Float32[Array, "beat"], ectopy: Ectopy, generator: np.random.Generator
) -> UInt8[Array, "beat"]:
    """Put a patient's ectopy into sinus intervals, in place; returns the kinds."""
    kind = np.full(rr_ms.size, Kind.SINUS, dtype=np.uint8)
    taken = np.zeros(rr_ms.size, dtype=bool)
    _put_runs(rr_ms, kind, taken, ectopy, generator)
    isolated = clustered(rr_ms.size, ectopy.atrial, ectopy.clustering, generator)
    ventricular = clustered(rr_ms.size, ectopy.ventricular, ectopy.clustering, generator)
    pattern = _pattern(rr_ms.size, ectopy, generator)
    if ectopy.pattern_ventricular:
        ventricular = np.union1d(ventricular, pattern)
    else:
        isolated = np.union1d(isolated, pattern)
    at = _take(ventricular, taken)
    coupling = _couplings(ectopy.ventricular_coupling, at.size, ectopy.scatter, generator)
    ventricular_beats(rr_ms, at, coupling)
    kind[at], kind[at + 1] = Kind.VENTRICULAR, Kind.COMPENSATION
    at = _take(isolated, taken)
    coupling = _couplings(ectopy.atrial_coupling, at.size, ectopy.scatter, generator)
    atrial_beats(rr_ms, at, coupling, ectopy.atrial_reset)
    kind[at], kind[at + 1] = Kind.ATRIAL, Kind.COMPENSATION
    at = free(clustered(rr_ms.size, ectopy.pauses, 0.0, generator), taken, 1)
    rr_ms[at] = pause_lengths(ectopy.pause_ms, at.size, generator)
    kind[at] = Kind.PAUSE
    return kind


def disturb_fibrillation(
    rr_ms: Float32[Array, "beat"], ectopy: Ectopy, generator: np.random.Generator
) -> UInt8[Array, "beat"]:
    """Put a patient's ventricular ectopy into intervals of AF, in place; returns the kinds."""
    kind = np.full(rr_ms.size, Kind.FIBRILLATION, dtype=np.uint8)
    taken = np.zeros(rr_ms.size, dtype=bool)
    at = _take(clustered(rr_ms.size, ectopy.ventricular, ectopy.clustering, generator), taken)
    coupling = _couplings(ectopy.ventricular_coupling, at.size, ectopy.scatter, generator)
    ventricular_beats(rr_ms, at, coupling)
    kind[at], kind[at + 1] = Kind.VENTRICULAR, Kind.COMPENSATION
    return kind


def atrial_beats(
    rr_ms: Float32[Array, "beat"],
    at: Int64[Array, "place"],
    coupling: Float32[Array, "place"],
    reset: float,
) -> None:
    """End intervals `at` early at an atrial beat; the sinus node starts afresh from it."""
    rr_ms[at] *= coupling
    rr_ms[at + 1] *= np.float32(reset)


def ventricular_beats(
    rr_ms: Float32[Array, "beat"], at: Int64[Array, "place"], coupling: Float32[Array, "place"]
) -> None:
    """End intervals `at` early at a ventricular beat; the next beat comes when it was due."""
    due = rr_ms[at] + rr_ms[at + 1]
    rr_ms[at] *= coupling
    rr_ms[at + 1] = due - rr_ms[at]


def pause_lengths(
    pause_ms: float, count: int, generator: np.random.Generator
) -> Float32[Array, "place"]:
    """Lengths of sinus pauses around a patient's typical one."""
    lengths = generator.standard_normal(count, dtype=np.float32)
    lengths *= np.float32(0.2)
    np.exp(lengths, out=lengths)
    lengths *= np.float32(pause_ms)
    return lengths


def _put_runs(
    rr_ms: Float32[Array, "beat"],
    kind: UInt8[Array, "beat"],
    taken: Bool[Array, "beat"],
    ectopy: Ectopy,
    generator: np.random.Generator,
) -> None:
    starts = clustered(rr_ms.size, ectopy.runs, ectopy.clustering, generator)
    if starts.size:
        counts = 3 + generator.geometric(1 / ectopy.run_beats, starts.size)
        at = np.unique(ranges(starts, counts))
        at = at[(at >= 1) & (at < rr_ms.size)]
        noise = np.exp(ectopy.run_scatter * generator.standard_normal(at.size, dtype=np.float32))
        rr_ms[at] *= np.float32(ectopy.run_share) * noise
        kind[at] = Kind.ATRIAL_RUN
        taken[at] = True


def _pattern(beats: int, ectopy: Ectopy, generator: np.random.Generator) -> Int64[Array, "place"]:
    starts = clustered(beats, ectopy.patterns, 0.0, generator)
    counts = generator.geometric(1 / max(ectopy.pattern_beats, 1.0), starts.size)
    return ranges(starts, counts, ectopy.pattern_stride)


def _take(places: Int64[Array, "place"], taken: Bool[Array, "beat"]) -> Int64[Array, "kept"]:
    """Those of the places that are free for an early beat and its pause; marks them taken."""
    at = free(apart(places, 2), taken, 2)
    taken[at] = taken[at + 1] = True
    return at


def _couplings(
    mean: float, count: int, scatter: float, generator: np.random.Generator
) -> Float32[Array, "place"]:
    drawn = generator.standard_normal(count, dtype=np.float32)
    drawn *= np.float32(scatter)
    drawn += np.float32(mean)
    return np.clip(drawn, np.float32(0.35), np.float32(0.93), out=drawn)

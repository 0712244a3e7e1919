"""Checks of the beats of windows: their position, their rhythm, their scale."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pacl.axes import Array, Bool, UInt64
from pacl.cohort import Kind
from pacl.records import Rhythm
from pacl.rr.scale import gather
from pacl.rr.store import RRWindowSet
from pacl.windows import Finding, some

ROUNDING_S = 0.01
"""Rounding error of times stored as float32."""


def shared_beats(windows: RRWindowSet) -> Iterable[Finding]:
    """Beats that windows of two parts both hold."""
    table = windows.table
    order = np.argsort(table.start, kind="stable")
    near = np.diff(table.start[order]) < windows.window_beats
    if not np.any(near & (np.diff(table.split.codes[order]) != 0)):
        return  # if any two windows of two parts overlapped, so would two neighbours
    parts_of_beat = np.zeros(windows.rr_ms.size, dtype=np.int8)
    for part in np.unique(table.split.codes):
        edge = np.zeros(windows.rr_ms.size + 1, dtype=np.int32)
        start = table.start[table.split.codes == part]
        np.add.at(edge, start, 1)
        np.add.at(edge, start + windows.window_beats, -1)
        parts_of_beat += np.cumsum(edge[:-1]) > 0
    shared = np.append(0, np.cumsum(parts_of_beat > 1))
    at_fault = shared[table.start + windows.window_beats] > shared[table.start]
    yield from by_record(
        windows, at_fault, "shared-beats", "windows hold beats that another part holds too"
    )


def misplaced_windows(windows: RRWindowSet) -> Iterable[Finding]:
    """Windows whose position is wrong: in other beats, or in another record's."""
    table = windows.table
    if windows.manifest.get("scaled"):
        return  # the position of processed windows is not known
    last = table.start + windows.window_beats - 1
    at_fault = windows.raw_index[table.start] != table.raw_start
    at_fault |= windows.raw_index[last] + 1 != table.raw_stop
    low = np.full(len(table.record.names), windows.rr_ms.size, dtype=np.int64)
    high = np.full(len(table.record.names), -1, dtype=np.int64)
    np.minimum.at(low, table.record.codes, table.start)
    np.maximum.at(high, table.record.codes, last)
    order = np.argsort(low, kind="stable")
    order = order[high[order] >= 0]
    reach = np.maximum.accumulate(high[order])
    into_next = np.zeros(len(table.record.names), dtype=bool)
    into_next[order[1:]] = low[order[1:]] <= reach[:-1]
    at_fault |= into_next[table.record.codes]
    yield from by_record(
        windows, at_fault, "misplaced-window", "windows do not lie in the beats of their record"
    )


def mixed_rhythm(windows: RRWindowSet) -> Iterable[Finding]:
    """Windows with a beat that is annotated otherwise than the window is labelled."""
    table = windows.table
    annotated = windows.beat_rhythm
    if windows.manifest.get("protocol", {}).get("others") == "not-af":
        annotated = np.where(annotated == Rhythm.OTHER, np.int8(Rhythm.SR), annotated)
    changes = np.flatnonzero(np.diff(annotated)) + 1
    stop = table.start + windows.window_beats
    at_fault = annotated[table.start] != table.rhythm
    at_fault |= np.searchsorted(changes, table.start, "right") < np.searchsorted(changes, stop)
    yield from by_record(
        windows, at_fault, "mixed-rhythm", "windows reach across a change of rhythm"
    )


def near_onset(windows: RRWindowSet) -> Iterable[Finding]:
    """SR windows that end too shortly before AF."""
    limit_s = float(windows.manifest["min_to_onset_s"])
    near = (windows.table.rhythm == Rhythm.SR) & (windows.table.to_onset_s < limit_s - ROUNDING_S)
    yield from by_record(
        windows, near, "near-onset", f"SR windows end less than {limit_s / 3600:g} h before AF"
    )


def scale_beats_in_windows(windows: RRWindowSet) -> Iterable[Finding]:
    """Windows that reach into beats a scale was fitted on."""
    table, scale = windows.table, windows.scale_beats
    at_fault = np.zeros(len(table), dtype=bool)
    code_of = {name: code for code, name in enumerate(table.record.names)}
    scale_codes = np.array([code_of.get(name, -1) for name in scale.record], dtype=np.int64)
    order = np.argsort(table.record.codes, kind="stable")
    bounds = np.searchsorted(table.record.codes[order], np.arange(len(code_of) + 1))
    for code in np.unique(scale_codes[scale_codes >= 0]).tolist():
        rows = order[bounds[code] : bounds[code + 1]]
        mine = scale_codes == code
        start, stop = np.sort(scale.start[mine]), np.sort(scale.stop[mine])
        # A range is met by a window unless it ends before it or begins after it.
        started = np.searchsorted(start, table.raw_stop[rows], side="left")
        ended = np.searchsorted(stop, table.raw_start[rows], side="right")
        at_fault[rows] = started > ended
    yield from by_record(
        windows, at_fault, "scale-beats-in-window", "windows hold beats their scale was fitted on"
    )


def uneven_scales(windows: RRWindowSet) -> Iterable[Finding]:
    """Windows of one record or episode with different scales, which could reveal labels."""
    table = windows.table
    group = table.record.codes.astype(np.int64)
    if windows.manifest.get("protocol", {}).get("scaler") == "episode":
        group = group * (int(table.episode.max(initial=0)) + 2) + table.episode + 1
        _, group = np.unique(group, return_inverse=True)
    at_fault = np.zeros(len(table), dtype=bool)
    for values in (table.centre_ms, table.scale_ms):
        first = np.zeros(int(group.max(initial=0)) + 1, dtype=values.dtype)
        first[group] = values
        at_fault |= np.isfinite(values) & (first[group] != values)
    yield from by_record(
        windows, at_fault, "uneven-scale", "windows are scaled otherwise than their neighbours"
    )


def bad_values(windows: RRWindowSet) -> Iterable[Finding]:
    """Beats or scales that are not numbers, or a scale of nothing."""
    table = windows.table
    at_fault = np.zeros(len(table), dtype=bool)
    beats = np.isfinite(windows.rr_ms)
    if not beats.all():
        bad = np.append(0, np.cumsum(~beats))
        at_fault |= bad[table.start + windows.window_beats] > bad[table.start]
    at_fault |= ~(np.isfinite(table.centre_ms) & np.isfinite(table.scale_ms) & (table.scale_ms > 0))
    for finding in by_record(
        windows, at_fault, "bad-value", "windows hold no numbers or cannot be scaled"
    ):
        yield replace(finding, severity="fault")


def duplicate_windows(windows: RRWindowSet) -> Iterable[Finding]:
    """Windows of exactly the same beats, in one record or in two."""
    alike = np.flatnonzero(_repeated(_fingerprints(windows)))
    at_fault = np.zeros(len(windows), dtype=bool)
    if alike.size:  # fingerprints of different windows may be equal by chance
        beats = gather(windows.rr_ms, windows.table.start[alike], windows.window_beats)
        _, same, counts = np.unique(beats, axis=0, return_inverse=True, return_counts=True)
        at_fault[alike] = counts[same.reshape(-1)] > 1
    yield from by_record(
        windows, at_fault, "duplicate-window", "windows appear in the set more than once"
    )


def _repeated(values: Array) -> Bool[Array, "window"]:
    """Which values appear more than once."""
    order = np.argsort(values)
    equal = np.diff(values[order]) == 0
    found = np.zeros(values.size, dtype=bool)
    found[order] = np.append(equal, False) | np.append(False, equal)
    return found


def _fingerprints(windows: RRWindowSet) -> UInt64[Array, "window"]:
    """A number for the beats of each window: equal for equal windows."""
    generator = np.random.default_rng(0)
    weights = generator.integers(1, 2**63, size=windows.window_beats, dtype=np.uint64) | 1
    bits = np.ascontiguousarray(windows.rr_ms, dtype=np.float32).view(np.uint32)
    all_windows = np.lib.stride_tricks.sliding_window_view(bits, windows.window_beats)
    out = np.empty(len(windows), dtype=np.uint64)
    for low in range(0, len(windows), 4096):
        rows = slice(low, low + 4096)
        out[rows] = all_windows[windows.table.start[rows]].astype(np.uint64) @ weights
    return out


def by_record(
    windows: RRWindowSet, at_fault: Bool[Array, "window"], kind: Kind, what: str
) -> Iterable[Finding]:
    """One line for all windows at fault, naming their records."""
    if at_fault.any():
        records = windows.table.record[at_fault].present()
        yield Finding(
            kind,
            "leak",
            some(records),
            f"{int(at_fault.sum()):,} {what}, in {len(records)} record(s): {some(records)}",
        )

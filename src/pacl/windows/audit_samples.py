"""Checks of the samples of windows: shared between parts, repeated, no numbers."""

from collections.abc import Iterable
from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, UInt64
from pacl.windows.checked_arrays import chunks
from pacl.windows.findings import Finding, Severity, some
from pacl.windows.protocol import Rows, Windows

Kind = Literal["shared-samples", "duplicate-window", "bad-value"]


def shared_samples(windows: Windows) -> Iterable[Finding]:
    """Windows of one record in two parts that overlap."""
    table = windows.table
    order = np.lexsort((table.start, table.record.codes))
    record, start = table.record.codes[order].astype(np.int64), table.start[order]
    part = table.split.codes[order]
    at_fault = np.zeros(len(table), dtype=bool)
    # Before a window, the last window of each part; after it, the first: the nearest to overlap.
    for direction in (1, -1):
        for code in np.unique(part).tolist():
            mine = np.flatnonzero(part == code)
            others = np.flatnonzero(part != code)
            side: Literal["left", "right"] = "right" if direction == 1 else "left"
            near = np.searchsorted(mine, others, side) - (direction == 1)
            inside = (near >= 0) & (near < mine.size)
            one, other = mine[near[inside]], others[inside]
            overlap = record[one] == record[other]
            overlap &= np.abs(start[one] - start[other]) < windows.length
            at_fault[order[one[overlap]]] = at_fault[order[other[overlap]]] = True
    yield from by_record(
        table, at_fault, "shared-samples", "windows hold samples that another part holds too"
    )


def duplicate_windows(windows: Windows) -> Iterable[Finding]:
    """Windows of exactly the same values in two parts, or of two subjects.

    Windows in which no channel changes are left out: a sensor that is off looks the same.
    """
    table = windows.table
    prints, changing = window_prints(windows)
    rows = np.flatnonzero(changing)
    order = rows[np.argsort(prints[rows], kind="stable")]
    _, first, group = np.unique(prints[order], return_index=True, return_inverse=True)
    owner = table.subject.codes.astype(np.int64) * len(table.split.names) + table.split.codes
    differs = owner[order] != owner[order[first]][group]
    apart = np.zeros(first.size, dtype=bool)
    apart[group[differs]] = True
    at_fault = np.zeros(len(table), dtype=bool)
    at_fault[order[apart[group]]] = True
    yield from by_record(
        table, at_fault, "duplicate-window", "windows appear in two parts or under two subjects"
    )


def bad_values(windows: Windows) -> Iterable[Finding]:
    """Windows with values that are no numbers."""
    at_fault = np.zeros(len(windows), dtype=bool)
    for rows in chunks(len(windows), 4 * windows.channels * windows.length):
        at_fault[rows] = ~np.isfinite(windows.take(np.r_[rows])).all(axis=(1, 2))
    yield from by_record(
        windows.table, at_fault, "bad-value", "windows hold values that are no numbers", "fault"
    )


def constant_channels(windows: Windows) -> Iterable[Finding]:
    """Channels that never change within any window of a subject: a sensor that was off."""
    table = windows.table
    changing = np.zeros((len(table.subject.names), windows.channels), dtype=bool)
    for rows in chunks(len(windows), 4 * windows.channels * windows.length):
        x = windows.take(np.r_[rows])
        np.logical_or.at(changing, table.subject.codes[rows], (x != x[..., :1]).any(axis=2))
    present = np.unique(table.subject.codes)
    for channel in np.flatnonzero(~changing[present].all(axis=0)).tolist():
        flat = [table.subject.names[code] for code in present if not changing[code, channel]]
        what = f"channel {channel} never changes in the windows of {len(flat)} subject(s)"
        yield Finding("constant-channel", "note", some(flat), f"{what}: {some(flat)}")


def window_prints(windows: Windows) -> tuple[UInt64[Array, "window"], Bool[Array, "window"]]:
    """A number for the content of each window, equal for equal windows; and whether it changes."""
    generator = np.random.default_rng(0)
    size = windows.channels * windows.length
    weights = generator.integers(1, 2**63, size=size, dtype=np.uint64) | 1
    prints = np.empty(len(windows), dtype=np.uint64)
    changing = np.empty(len(windows), dtype=bool)
    for rows in chunks(len(windows), 4 * windows.channels * windows.length):
        x = np.ascontiguousarray(windows.take(np.r_[rows])) + np.float32(0)  # -0 equals 0
        bits = x.view(np.uint32).reshape(len(x), size).astype(np.uint64)
        prints[rows] = _mixed(bits) @ weights
        changing[rows] = (x != x[..., :1]).any(axis=(1, 2))
    return prints, changing


def record_prints(windows: Windows) -> dict[str, UInt64[Array, "print"]]:
    """The numbers of the windows of each record, each once; without windows that never change."""
    prints, changing = window_prints(windows)
    record = windows.table.record
    return {
        record.names[code]: np.unique(prints[changing & (record.codes == code)])
        for code in np.unique(record.codes).tolist()
    }


def by_record(
    table: Rows,
    at_fault: Bool[Array, "window"],
    kind: Kind,
    what: str,
    severity: Severity = "leak",
) -> Iterable[Finding]:
    """One line for all windows at fault, naming their records."""
    if at_fault.any():
        records = table.record[at_fault].present()
        count = f"{int(at_fault.sum()):,} {what}"
        line = f"{count}, in {len(records)} record(s): {some(records)}"
        yield Finding(kind, severity, some(records), line)


def _mixed(values: UInt64[Array, "window value"]) -> UInt64[Array, "window value"]:
    """Mix the bits of each value (the finaliser of splitmix64): sums then tell windows apart."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UInt64[Array, "window value"] = values ^ (values >> np.uint64(31))
    return mixed

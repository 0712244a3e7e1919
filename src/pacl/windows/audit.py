"""Whether windows of any signal leak subjects between parts, checked on the windows themselves."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from pacl.axes import Array, Bool
from pacl.windows.audit_samples import (
    bad_values,
    constant_channels,
    duplicate_windows,
    shared_samples,
)
from pacl.windows.findings import Finding, by_severity, some
from pacl.windows.protocol import Rows, Windows

WindowKind = Literal[
    "subject-in-two-parts",
    "unsafe-split",
    "record-of-two-subjects",
    "shared-samples",
    "duplicate-window",
    "changed-file",
    "bad-value",
    "constant-channel",
    "class-missing",
    "subject-without-class",
]
WINDOW_KINDS: tuple[WindowKind, ...] = get_args(WindowKind)
"""What `audit_samples` and the checks below find."""


def audit_arrays(
    windows: Windows, manifest: Mapping[str, Any] | None = None
) -> tuple[Finding, ...]:
    """All faults that would make results on these windows invalid: leaks, faults, notes.

    The manifest, if any, states how they were divided, and whether their starts are known.
    """
    stated = manifest or {}
    table = windows.table
    return by_severity(
        [
            *_subjects_in_two_parts(table),
            *_unsafe_by_construction(table, stated.get("split", {})),
            *_records_of_two_subjects(table),
            *(shared_samples(windows) if stated.get("starts_known", True) else ()),
            *duplicate_windows(windows),
            *bad_values(windows),
            *constant_channels(windows),
            *_parts_without_a_class(windows),
            *_subjects_without_a_class(windows),
        ]
    )


def _subjects_in_two_parts(table: Rows) -> Iterable[Finding]:
    pairs = np.unique(np.stack([table.subject.codes, table.split.codes]), axis=1)
    subjects, counts = np.unique(pairs[0], return_counts=True)
    for code in subjects[counts > 1].tolist():
        who = table.subject.names[code]
        parts = sorted(table.split.names[part] for part in pairs[1, pairs[0] == code])
        yield Finding(
            "subject-in-two-parts", "leak", who, f"subject {who} is in {' and in '.join(parts)}"
        )


def _unsafe_by_construction(table: Rows, split: Mapping[str, Any]) -> Iterable[Finding]:
    """A split that does not keep subjects together by design."""
    if len(table.split.present()) > 1 and not split.get("safe", True):
        unit = str(split.get("unit"))
        what = f"{unit}s were divided, not subjects ({split.get('origin')})"
        yield Finding("unsafe-split", "leak", unit, what)


def _records_of_two_subjects(table: Rows) -> Iterable[Finding]:
    pairs = np.unique(np.stack([table.record.codes, table.subject.codes]), axis=1)
    records, counts = np.unique(pairs[0], return_counts=True)
    if shared := [table.record.names[code] for code in records[counts > 1].tolist()]:
        what = f"{len(shared)} record(s) are given to two subjects: {some(shared)}"
        yield Finding("record-of-two-subjects", "leak", some(shared), what)


def _parts_without_a_class(windows: Windows) -> Iterable[Finding]:
    """A class that one part lacks and another has is a fault; that nobody has it, a note."""
    counted = windows.count()
    for part in sorted(set(windows.table.split.names) - set(counted)):
        yield Finding("class-missing", "fault", part, f"{part} has no window at all")
    for name in windows.class_names:
        lacking = [part for part, counts in counted.items() if not counts[name]]
        if len(lacking) == len(counted):
            yield Finding("class-missing", "note", name, f"no window is of class {name}")
        else:
            for part in lacking:
                what = f"{part} has no window of class {name}"
                yield Finding("class-missing", "fault", part, what)


def _subjects_without_a_class(windows: Windows) -> Iterable[Finding]:
    table = windows.table
    present = set(np.unique(table.subject.codes).tolist())
    for number, name in enumerate(windows.class_names):
        having = set(np.unique(table.subject.codes[_has(table, number)]).tolist())
        if having and (lacking := sorted(table.subject.names[code] for code in present - having)):
            what = f"{len(lacking)} of {len(present)} subjects have no window of class {name}"
            who = some(lacking)
            yield Finding("subject-without-class", "note", who, f"{what}: {who}")


def _has(table: Rows, number: int) -> Bool[Array, "window"]:
    """Windows that are of a class, or that have a sample of it."""
    found: Bool[Array, "window label"] = table.labels.reshape(len(table), -1) == number
    return np.asarray(found.any(axis=1))

"""Whether a window set leaks patients between parts, checked on the stored windows themselves."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pacl.cohort import KINDS, two_parts
from pacl.records import Rhythm
from pacl.rr.audit_beats import (
    bad_values,
    by_record,
    duplicate_windows,
    misplaced_windows,
    mixed_rhythm,
    near_onset,
    scale_beats_in_windows,
    shared_beats,
    uneven_scales,
)
from pacl.rr.store import ARRAYS, FILES, FORMAT, RRWindowSet
from pacl.windows import (
    Finding,
    StoredFormat,
    accepted,
    by_severity,
    changed,
    changed_files,
    some,
)


def audit_windows(windows: RRWindowSet) -> tuple[Finding, ...]:
    """All faults that would make results on this set invalid: leaks, then faults, then notes."""
    checks: tuple[Callable[[RRWindowSet], Iterable[Finding]], ...] = (
        _patients_in_two_parts,
        _unsafe_by_construction,
        _records_of_two_patients,
        shared_beats,
        misplaced_windows,
        scale_beats_in_windows,
        uneven_scales,
        duplicate_windows,
        mixed_rhythm,
        near_onset,
        bad_values,
        _parts_without_a_class,
        _patients_without_a_class,
    )
    found = [finding for check in checks for finding in check(windows)]
    return by_severity(found)


def audit_folder(path: Path | str) -> tuple[Finding, ...]:
    """Audit a set on disk, and whether its files are unchanged."""
    path = Path(path)
    windows = RRWindowSet.open(path, verify=False)
    files = changed_files(path, windows.manifest, FILES)
    return (*changed(files), *audit_windows(windows))


def write_audited(windows: RRWindowSet, folder: Path, allow: Sequence[str]) -> tuple[Finding, ...]:
    """Audit a set, refuse it or mark what was allowed, and write its tables and manifest."""
    findings = audit_windows(windows)
    manifest = {
        **windows.manifest,
        "counts": windows.count(),
        **accepted(findings, allow, KINDS, folder.name),
    }
    replace(windows, manifest=manifest).write_tables(folder)
    return findings


RR_FORMAT: StoredFormat[RRWindowSet] = StoredFormat(
    name=FORMAT,
    open=RRWindowSet.open,
    audit=audit_folder,
    write_audited=write_audited,
    signal=tuple(f"{name}.npy" for name in ARRAYS),
    columns=("start", "rhythm", "centre_ms", "scale_ms"),
)


def _patients_in_two_parts(windows: RRWindowSet) -> Iterable[Finding]:
    table = windows.table
    names = (len(table.patient.names), len(table.split.names), len(table.record.names))
    codes = (table.patient.codes, table.split.codes, table.record.codes)
    rows = np.stack(np.unravel_index(np.unique(np.ravel_multi_index(codes, names)), names))
    places: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for patient, part, record in rows.T.tolist():
        places[table.patient.names[patient]][table.split.names[part]].append(
            table.record.names[record]
        )
    for patient in sorted(places):
        if len(places[patient]) > 1:
            yield two_parts(patient, places[patient])


def _unsafe_by_construction(windows: RRWindowSet) -> Iterable[Finding]:
    """A split that does not keep patients together by design; patients that are not known."""
    manifest = windows.manifest
    split = manifest.get("split", {})
    if len(windows.table.split.present()) < 2:
        return
    if not manifest.get("patients_known", True):
        yield Finding(
            "patients-unknown",
            "leak",
            "all",
            "records were taken for patients, so that one patient may be in two parts unseen",
        )
    elif not split.get("safe", True):
        yield Finding(
            "unsafe-split",
            "leak",
            str(split.get("unit")),
            f"{split.get('unit')}s were divided, not patients ({split.get('origin')})",
        )


def _records_of_two_patients(windows: RRWindowSet) -> Iterable[Finding]:
    table = windows.table
    first = np.zeros(len(table.record.names), dtype=np.int64)
    first[table.record.codes] = table.patient.codes
    at_fault = first[table.record.codes] != table.patient.codes
    yield from by_record(
        windows, at_fault, "record-of-two-patients", "windows of a record are given to two patients"
    )


def _parts_without_a_class(windows: RRWindowSet) -> Iterable[Finding]:
    counted = windows.count()
    for part in sorted(set(windows.table.split.names) - set(counted)):
        yield Finding("class-missing", "fault", part, f"{part} has no window at all")
    for part, counts in counted.items():
        for kind, count in counts.items():
            if not count:
                yield Finding("class-missing", "fault", part, f"{part} has no {kind} window")


def _patients_without_a_class(windows: RRWindowSet) -> Iterable[Finding]:
    table = windows.table
    present = set(np.unique(table.patient.codes).tolist())
    for kind in (Rhythm.SR, Rhythm.AF):
        having = set(np.unique(table.patient.codes[table.rhythm == kind]).tolist())
        if lacking := sorted(table.patient.names[code] for code in present - having):
            who = some(lacking)
            yield Finding(
                "patient-without-class",
                "note",
                who,
                f"{len(lacking)} of {len(present)} patients have no {kind.name} window: {who}",
            )

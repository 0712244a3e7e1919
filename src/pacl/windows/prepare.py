"""From recordings to a window set that is safe to learn from, or none at all (2.1, App. A)."""

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pacl
from pacl.cohort import KINDS, CohortProtocol, Finding, Split
from pacl.records import Reader, Record, RecordError, Rhythm
from pacl.whole import whole_folder
from pacl.windows.append import GrowingArray
from pacl.windows.audit import audit_windows
from pacl.windows.collect import Collector
from pacl.windows.errors import LeakError, WindowSetError
from pacl.windows.plausible import Implausible
from pacl.windows.segment import RecordWindows, cut_windows
from pacl.windows.store import ARRAYS, FORMAT, WindowSet
from pacl.windows.table import Names, WindowTable

Divide = Callable[[Mapping[str, str], Mapping[str, str]], Split]
"""Makes a split, given the stratum of each patient and the patient of each record."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How windows are cut: `window_beats` beats, every `stride`, implausible ones as said."""

    window_beats: int = 200
    stride: int = 50
    implausible: Implausible = "drop"

    def __post_init__(self) -> None:
        if self.window_beats < 2 or self.stride < 1:
            raise WindowSetError(
                "windows",
                f"{self.window_beats} beats every {self.stride} asked for",
                "use at least 2 beats and a stride of at least 1",
            )


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was written and what the audit found in it."""

    path: Path
    windows: int
    patients: int
    records: int
    findings: tuple[Finding, ...]


def prepare(
    reader: Reader,
    target: Path | str,
    *,
    protocol: CohortProtocol,
    divide: Divide,
    cut: Cut | None = None,
    allow: Sequence[str] = (),
    skip_bad: bool = False,
    read_as: Mapping[str, Any] | None = None,
    threads: int = 1,
    track: Callable[[int, int], None] | None = None,
) -> Prepared:
    """Cut all recordings into windows, divide them by patient, audit, and write them.

    Parameters
    ----------
    reader
        The recordings.
    target
        Folder to write, which appears when it is whole.
    protocol
        Which beats are taken.
    divide
        How patients are divided into parts.
    cut
        How windows are cut.
    allow
        Kinds of leaks and faults to let pass, by name; the manifest says so for ever.
    skip_bad
        Put recordings that cannot be read into the manifest instead of stopping.
    read_as
        How the recordings were read, where that was chosen, for the manifest.
    threads
        How many recordings are read at once.
    track
        Called with the recordings done and their total.
    """
    target, cut = Path(target), cut or Cut()
    with whole_folder(target) as folder, ExitStack() as files:
        beats = {
            name: files.enter_context(GrowingArray(folder / f"{name}.npy", kind))
            for name, kind in ARRAYS.items()
        }
        one_scale = getattr(protocol, "scaler", "") == "patient"
        collected = Collector(beats, cut.window_beats, one_scale)
        for done, found in enumerate(_cut_all(reader, protocol, cut, threads), start=1):
            if isinstance(found, _Unreadable):
                if not skip_bad:
                    raise found.error
                collected.add_bad(found.record_id, found.error)
            else:
                collected.add(*found)
            if track is not None:
                track(done, len(reader.record_ids))
        files.close()
        collected.read_as = dict(read_as or {})
        return _finish(reader, target, folder, protocol, divide, cut, allow, collected)


def _finish(
    reader: Reader,
    target: Path,
    folder: Path,
    protocol: CohortProtocol,
    divide: Divide,
    cut: Cut,
    allow: Sequence[str],
    collected: Collector,
) -> Prepared:
    """Divide, audit and describe what was collected."""
    table = collected.table()
    if not len(table):
        counts = {"beats too few in a row": collected.beat_counts["too few in a row"]}
        counts |= collected.dropped
        reasons = ", ".join(f"{count:,} x {why}" for why, count in counts.items() if count)
        raise WindowSetError(
            reader.root,
            f"no window of {cut.window_beats} beats in {len(reader.record_ids)} recordings "
            f"({reasons})",
            "choose another protocol (pooled takes all SR and AF) or shorter windows",
        )
    split = divide(_strata(table), collected.patients)
    table, left_out = _divided(table, split)
    if left_out:
        collected.dropped["windows of nobody in the split"] += left_out
    if not len(table):
        raise WindowSetError(
            reader.root,
            f"none of its {left_out:,} windows belongs to a {split.unit} of the split "
            f"({split.origin})",
            "give a split of the same cohort",
        )
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "pacl": pacl.__version__,
        "source": str(reader.root),
        "read_as": collected.read_as,
        "window_beats": cut.window_beats,
        "windows": len(table),
        "scaled": False,
        "min_to_onset_s": protocol.min_to_onset_s,
        "protocol": {"name": type(protocol).__name__, **_plain(protocol)},
        "cut": _plain(cut),
        "split": {
            "unit": split.unit,
            "safe": split.safe,
            "origin": split.origin,
            "digest": split.digest,
        },
        "beats": dict(collected.beat_counts),
        "dropped": dict(collected.dropped),
        "records": collected.records,
    }
    windows = WindowSet(
        window_beats=cut.window_beats,
        table=table,
        scale_beats=collected.scale_beats(),
        manifest=manifest,
        **{name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in ARRAYS},
    )
    (folder / "split.json").write_text(split.to_json(), "utf-8")
    findings = write_audited(windows, folder, allow)
    return Prepared(
        target, len(table), len(table.patient.present()), len(table.record.present()), findings
    )


def write_audited(windows: WindowSet, folder: Path, allow: Sequence[str]) -> tuple[Finding, ...]:
    """Audit a set, refuse it or mark what was allowed, and write its tables and manifest."""
    if unknown := sorted(set(allow) - set(KINDS)):
        raise WindowSetError(
            folder.name, f"no such kind of finding: {', '.join(unknown)}", f"use {', '.join(KINDS)}"
        )
    findings = audit_windows(windows)
    refused = [finding for finding in findings if finding.serious and finding.kind not in allow]
    if refused:
        lines = "\n".join(f"  {finding}" for finding in refused)
        flags = " ".join(f"--allow {kind}" for kind in dict.fromkeys(f.kind for f in refused))
        raise LeakError(
            f"nothing was written, the set would not be safe:\n{lines}\n"
            f"mend the cause, or write it all the same, marked unsafe for ever, with {flags}"
        )
    manifest = {
        **windows.manifest,
        "counts": windows.count(),
        "allowed": sorted({finding.kind for finding in findings if finding.serious}),
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }
    dataclasses.replace(windows, manifest=manifest).write_tables(folder)
    return findings


@dataclass(frozen=True, slots=True)
class _Unreadable:
    record_id: str
    error: RecordError


def _cut_all(
    reader: Reader, protocol: CohortProtocol, cut: Cut, threads: int
) -> Iterator[tuple[Record, RecordWindows] | _Unreadable]:
    """Read and cut recordings in order, a few at a time; a bad one gives its error."""

    def one(record_id: str) -> tuple[Record, RecordWindows] | _Unreadable:
        try:
            record = reader.read(record_id)
        except RecordError as error:
            return _Unreadable(record_id, error)
        return record, cut_windows(record, protocol.select(record), **_plain(cut))

    with ThreadPoolExecutor(max_workers=threads) as pool:
        waiting: deque[Future[Any]] = deque()
        for record_id in reader.record_ids:
            waiting.append(pool.submit(one, record_id))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _strata(table: WindowTable) -> dict[str, str]:
    """What a patient has windows of; each kind of patient is divided in the same proportion."""
    has = {
        kind: set(table.patient[table.rhythm == kind].present()) for kind in (Rhythm.SR, Rhythm.AF)
    }
    return {
        patient: "+".join(kind.name for kind, who in has.items() if patient in who)
        for patient in table.patient.present()
    }


def _divided(table: WindowTable, split: Split) -> tuple[WindowTable, int]:
    """The rows with their parts, without those of nobody in the split; and how many these were."""
    unit = table.patient if split.unit == "patient" else table.record
    names = tuple(dict.fromkeys(split.part_of.values()))
    codes = {part: code for code, part in enumerate(names)}
    code_of = np.array(
        [codes.get(split.part_of.get(name, ""), -1) for name in unit.names], dtype=np.int32
    )
    parts = code_of[unit.codes]
    kept = parts >= 0
    return table[kept].with_split(Names(parts[kept], names)), int(np.count_nonzero(~kept))


def _plain(value: Any) -> dict[str, Any]:
    """The fields of a settings object."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}

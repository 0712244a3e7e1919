"""From recordings to a window set that is safe to learn from, or none at all (2.1, App. A)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import pacl
from pacl.atomic_write import atomic_folder
from pacl.cohort import CohortProtocol
from pacl.records import Reader, RecordError, manifest_of, shown_path
from pacl.rr.audit import write_audited
from pacl.rr.collect import Collector, CutRecord, Unreadable, growing_beats
from pacl.rr.plausible import Implausible
from pacl.rr.segment import cut_windows
from pacl.rr.store import CLASS_NAMES, FORMAT, RRWindowSet, map_beats
from pacl.settings import Count
from pacl.stored import Between
from pacl.threads import Threads
from pacl.windows import Prepared, Split, WindowSetError, strata

CutAll = Callable[[CohortProtocol, "Cut"], Iterable[CutRecord | Unreadable]]
"""Reads and cuts all recordings, by a protocol."""
Divide = Callable[[Mapping[str, str], Mapping[str, str]], Split]
"""Makes a split, given the stratum of each patient and the patient of each record."""


@dataclass(frozen=True)
class Cut:
    """How windows are cut: `window_beats` beats, one window every `stride` beats."""

    window_beats: Annotated[int, Between(2, 1_000_000)] = 200
    """Beats in a window."""
    stride: Count = 50
    """Beats between the starts of two windows."""
    implausible: Implausible = "drop"
    """What is done with beats outside 200-2000 ms."""

    def __post_init__(self) -> None:
        if self.window_beats < 2 or self.stride < 1:
            raise WindowSetError(
                "windows",
                f"{self.window_beats} beats every {self.stride} asked for",
                "use at least 2 beats and a stride of at least 1",
            )


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
    cut_all: CutAll | None = None,
    track: Callable[[int, int], None] | None = None,
) -> Prepared:
    """Cut all recordings into windows, divide them by patient, audit, and write them atomically.

    Parameters
    ----------
    protocol
        Which beats are taken.
    allow
        Kinds of leaks and faults to allow, by name; the manifest lists them.
    skip_bad
        List recordings that cannot be read in the manifest instead of stopping.
    read_as
        The reading options that were chosen, for the manifest.
    threads
        Number of recordings read at once.
    cut_all
        Reads and cuts all recordings instead, in their order: other processes, for example.
    track
        Called with the recordings done and their total.
    """
    target, cut = Path(target), cut or Cut()
    with atomic_folder(target) as folder:
        one_scale = getattr(protocol, "scaler", "") == "patient"
        with growing_beats(folder) as beats, Threads(threads) as pool:
            collected = Collector(beats, cut.window_beats, one_scale)
            all_cut: Iterable[CutRecord | Unreadable]
            if cut_all is None:
                all_cut = pool.map(partial(_cut_one, reader, protocol, cut), reader.record_ids)
            else:
                all_cut = cut_all(protocol, cut)
            for done, found in enumerate(all_cut, start=1):
                if isinstance(found, Unreadable):
                    if not skip_bad:
                        raise found.error
                    collected.add_bad(found)
                else:
                    collected.add(found)
                if track is not None and cut_all is None:
                    track(done, len(reader.record_ids))
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
            shown_path(reader.root),
            f"no window of {cut.window_beats} beats in {len(reader.record_ids)} recordings "
            f"({reasons})",
            "choose another protocol (--protocol all-beats needs no hour of SR, pooled needs one "
            "in all) or shorter windows (--window-beats)",
        )
    split = divide(strata(table, CLASS_NAMES), collected.patients)
    parts, kept = split.parts_of(table.patient, table.record)
    table = replace(table[kept], split=parts)
    if left_out := int(np.count_nonzero(~kept)):
        collected.dropped["windows of nobody in the split"] += left_out
    if not len(table):
        raise WindowSetError(
            shown_path(reader.root),
            f"none of its {left_out:,} windows belongs to a {split.unit} of the split "
            f"({split.origin})",
            "give a split of the same cohort",
        )
    rule: Any = protocol  # a dataclass
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "pacl": pacl.__version__,
        "source": shown_path(reader.root),
        "read_as": collected.read_as,
        "window_beats": cut.window_beats,
        "windows": len(table),
        "scaled": False,
        "min_to_onset_s": protocol.min_to_onset_s,
        "protocol": {"name": type(protocol).__name__, **asdict(rule)},
        "cut": asdict(cut),
        "split": split.about(),
        "beats": dict(collected.beat_counts),
        "dropped": dict(collected.dropped),
        "records": collected.records,
    }
    if (declared := manifest_of(reader)) is not None:
        manifest["cohort"] = declared.to_dict()
    if reader.left_out:
        manifest["left_out"] = list(reader.left_out)
    beats = map_beats(folder)
    windows = RRWindowSet(cut.window_beats, *beats, table, collected.scale_beats(), manifest)
    (folder / "split.json").write_text(split.to_json(), "utf-8")
    return Prepared.of(target, table, write_audited(windows, folder, allow))


def _cut_one(
    reader: Reader, protocol: CohortProtocol, cut: Cut, record_id: str
) -> CutRecord | Unreadable:
    """Read a recording and cut it; a bad one gives its error."""
    try:
        record = reader.read(record_id)
    except RecordError as error:
        return Unreadable(record_id, error)
    return CutRecord.of(record, cut_windows(record, protocol.select(record), **asdict(cut)))

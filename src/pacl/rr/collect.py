"""The windows of one recording after the other, gathered into one set."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pacl.axes import Array
from pacl.errors import PaclError
from pacl.records import Record, Rhythm
from pacl.rr.segment import RecordWindows
from pacl.rr.store import ARRAYS, ScaleBeats
from pacl.rr.table import TYPES, RRWindowTable
from pacl.windows import GrowingArray, Names


@dataclass(frozen=True, eq=False, slots=True)
class CutRecord:
    """A recording that was cut into windows."""

    record_id: str
    patient_id: str
    digest: str
    windows: RecordWindows

    @classmethod
    def of(cls, record: Record, windows: RecordWindows) -> "CutRecord":
        """The windows of a record that was read here."""
        return cls(record.record_id, record.patient_id, record.digest, windows)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A recording that could not be read, and why."""

    record_id: str
    error: PaclError


COPIED = ("episode", "rhythm", "onset_s", "to_onset_s", "centre_ms", "scale_ms")


@contextmanager
def growing_beats(folder: Path) -> Iterator[dict[str, GrowingArray]]:
    """The files of beats of a window set, to append to."""
    with ExitStack() as files:
        yield {
            name: files.enter_context(closing(GrowingArray(folder / f"{name}.npy", kind)))
            for name, kind in ARRAYS.items()
        }


class Collector:
    """Takes recordings in order; beats are appended to files, rows and counts stay in memory.

    With `one_scale_per_patient`, all records of a patient have the scale of the first of them that
    has windows.
    """

    def __init__(
        self, beats: Mapping[str, GrowingArray], window_beats: int, one_scale_per_patient: bool
    ) -> None:
        self._beats = beats
        self._window_beats = window_beats
        self._one_scale = one_scale_per_patient
        self._scale_of: dict[str, tuple[float, float]] = {}
        self._columns: dict[str, list[Array]] = defaultdict(list)
        self._codes: dict[str, dict[str, int]] = {"patient": {}, "record": {}}
        self._scale: list[tuple[str, int, int]] = []
        self.patients: dict[str, str] = {}
        self.records: list[dict[str, Any]] = []
        self.beat_counts: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.read_as: dict[str, Any] = {}

    def add_bad(self, bad: Unreadable) -> None:
        """Note a recording that could not be read."""
        self.records.append({"record": bad.record_id, "error": str(bad.error)})
        self.dropped["records that cannot be read"] += 1

    def add(self, record: CutRecord) -> None:
        """Take the windows of a recording."""
        found = record.windows
        if found.start.size:
            self._add_rows(record, found)
        self._scale += [(record.record_id, *beats) for beats in found.scale_beats]
        self.patients[record.record_id] = record.patient_id
        self.beat_counts.update(found.beats)
        self.dropped.update(found.dropped)
        self.records.append(
            {
                "record": record.record_id,
                "patient": record.patient_id,
                "digest": record.digest,
                "windows": {
                    kind.name: int(np.count_nonzero(found.rhythm == kind))
                    for kind in (Rhythm.SR, Rhythm.AF)
                },
                "beats": dict(found.beats),
                "dropped": dict(found.dropped),
            }
        )

    def _add_rows(self, record: CutRecord, found: RecordWindows) -> None:
        offset = len(self._beats["rr_ms"])
        for name, array in self._beats.items():
            array.append(getattr(found, name))
        last = found.start + self._window_beats - 1
        columns = {name: getattr(found, name) for name in COPIED}
        columns["start"] = found.start + offset
        columns["raw_start"] = found.raw_index[found.start]
        columns["raw_stop"] = found.raw_index[last] + 1
        self._rescale(record.patient_id, columns)
        for name, values in columns.items():
            self._columns[name].append(values)
        for name, value in (("patient", record.patient_id), ("record", record.record_id)):
            code = self._codes[name].setdefault(value, len(self._codes[name]))
            self._columns[name].append(np.full(found.start.size, code, dtype=np.int32))

    def _rescale(self, patient: str, columns: dict[str, Array]) -> None:
        """Give a patient's later records the scale of the first."""
        if not self._one_scale or not columns["centre_ms"].size:
            return
        own = (float(columns["centre_ms"][0]), float(columns["scale_ms"][0]))
        centre_ms, scale_ms = self._scale_of.setdefault(patient, own)
        columns["centre_ms"] = np.full_like(columns["centre_ms"], centre_ms)
        columns["scale_ms"] = np.full_like(columns["scale_ms"], scale_ms)

    def table(self) -> RRWindowTable:
        """All rows so far, not divided yet."""
        columns: dict[str, Any] = {
            name: np.concatenate([np.empty(0, dtype), *self._columns[name]]).astype(dtype)
            for name, dtype in TYPES.items()
            if dtype is not str
        }
        for name, codes in self._codes.items():
            numbers = np.concatenate([np.empty(0, np.int32), *self._columns[name]])
            columns[name] = Names(numbers, tuple(codes))
        columns["split"] = Names(np.zeros(columns["start"].size, np.int32), ("",))
        return RRWindowTable(**columns)

    def scale_beats(self) -> ScaleBeats:
        """All ranges that scales were fitted on."""
        ranges = np.array([beats for _, *beats in self._scale], dtype=np.int64).reshape(-1, 2)
        return ScaleBeats(tuple(name for name, *_ in self._scale), ranges[:, 0], ranges[:, 1])

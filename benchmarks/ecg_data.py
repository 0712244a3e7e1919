"""Annotated ECGs of PACL_DATA, and ECGs made from annotated beats."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pacl.ecg import Ecg, Segment
from pacl.records import Record, Rhythm, open_records, read_ecg
from pacl.testing import made_ecg

DATA = Path(os.environ.get("PACL_DATA", "../shared/data"))
MADE_S, MADE_HZ = 600.0, 250.0


@dataclass(frozen=True, eq=False)
class Annotated:
    """An ECG, its beats in seconds, and for each second whether it is AF."""

    name: str
    ecg: Ecg
    beats_s: NDArray[np.float64]
    af: NDArray[np.bool_]
    record: Record

    def with_signal(self, millivolts: NDArray[np.float32]) -> Ecg:
        """The same ECG with other samples."""
        segment = Segment(0.0, np.ascontiguousarray(millivolts))
        leads = self.ecg.leads[: len(millivolts)]
        return Ecg(self.ecg.fs_hz, leads, (segment,), "", self.name)

    @property
    def millivolts(self) -> NDArray[np.float32]:
        """All leads."""
        return self.ecg.segments[0].millivolts


def real() -> Iterator[Annotated]:
    """The MITDB excerpts, and the CPSC2021 records that have signals."""
    for folder in ("mitdb-ecg", "cpsc2021"):
        for path in sorted((DATA / folder).glob("*.dat")):
            reader = open_records(path.with_suffix(""))
            record = reader.read(path.stem)
            yield _annotated(record, read_ecg(reader, path.stem))


def made() -> Iterator[Annotated]:
    """Ten minutes of each record of MITDB, NSRDB and AFDB, as an ECG made of its beats.

    Of AFDB around a change to AF, of the others the first minutes.
    """
    for folder in ("mitdb", "nsrdb", "afdb"):
        reader = open_records(DATA / folder)
        for name in reader.record_ids:
            record = reader.read(name)
            begins_s, is_af = record.onset_s(), record.rhythm() == Rhythm.AF
            changes = np.flatnonzero(is_af[1:] & ~is_af[:-1])
            from_s = begins_s[0]
            if folder == "afdb" and changes.size:
                from_s = max(begins_s[changes[changes.size // 2]] - MADE_S / 2, from_s)
            some = (begins_s >= from_s) & (begins_s < from_s + MADE_S - 1)
            beats_s = begins_s[some] - from_s + 0.5
            if beats_s.size < 200:
                continue
            segment = Segment(0.0, made_ecg(beats_s, MADE_HZ, MADE_S, noise_mv=0.02))
            ecg = Ecg(MADE_HZ, ("made",), (segment,), "", f"{folder}/{name}")
            yield Annotated(ecg.source, ecg, beats_s, _seconds(beats_s, is_af[some]), record)


def _annotated(record: Record, ecg: Ecg) -> Annotated:
    beats_s = np.append(record.onset_s(), record.onset_s()[-1] + record.rr_ms[-1] / 1000)
    is_af = np.append(record.rhythm(), record.rhythm()[-1]) == Rhythm.AF
    some = beats_s < ecg.duration_s
    af = _seconds(beats_s[some], is_af[some], ecg.duration_s)
    return Annotated(record.record_id, ecg, beats_s[some], af, record)


def _seconds(
    beats_s: NDArray[np.float64], af: NDArray[np.bool_], lasts_s: float = MADE_S
) -> NDArray[np.bool_]:
    """Whether each second is AF: by the beat before its middle."""
    middle_s = np.arange(int(lasts_s)) + 0.5
    return af[np.maximum(np.searchsorted(beats_s, middle_s) - 1, 0)]

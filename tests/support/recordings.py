"""Recordings made by hand or at random, in memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pacl.records import FormatError, Record, Rhythm, Span

Runs = Sequence[tuple[Rhythm, int]]


def make_record(
    runs: Runs,
    rr_ms: Any = 1000,
    *,
    files: Sequence[int] = (0,),
    pause_s: float = 0.0,
    lead_in_s: float = 0.0,
    patient: str = "patient_0",
    name: str = "record_0",
) -> Record:
    """Beats in runs of (rhythm, beats); `files` are first beats, `pause_s` lies between files."""
    edges = np.cumsum([0, *(beats for _, beats in runs)])
    spans = tuple(
        Span(int(start), int(stop), rhythm)
        for (rhythm, _), start, stop in zip(runs, edges[:-1], edges[1:], strict=True)
    )
    rr = np.broadcast_to(np.asarray(rr_ms, dtype=np.int32), edges[-1]).copy()
    begins_s = np.append(0.0, np.cumsum(rr, dtype=np.float64) / 1000)
    return Record(
        patient_id=patient,
        record_id=name,
        rr_ms=rr,
        file_starts=np.array(files, dtype=np.int64),
        file_onset_s=begins_s[list(files)] + pause_s * np.arange(len(files)),
        spans=spans,
        digest=f"digest of {name}",
        source="memory",
        lead_in_s=lead_in_s,
    )


ODD_MS = (0, 150, 199, 200, 2000, 2001, 3000, 10_000, 10_001, 25_000)
"""On, just inside and just outside every bound that beats are judged by."""


def random_record(
    generator: np.random.Generator,
    *,
    runs: int = 8,
    beats: tuple[int, int] = (5, 120),
    odd: float = 0.03,
    lead_in_s: float = 0.0,
) -> Record:
    """Any rhythm after any other, odd beats anywhere, up to four files."""
    drawn = [
        (Rhythm(int(generator.integers(4))), int(generator.integers(*beats))) for _ in range(runs)
    ]
    size = sum(count for _, count in drawn)
    rr_ms = generator.integers(400, 1600, size)
    strange = generator.random(size) < odd
    rr_ms[strange] = generator.choice(ODD_MS, int(strange.sum()))
    files = np.unique(np.append(0, generator.integers(0, size, int(generator.integers(4)))))
    return make_record(
        drawn,
        rr_ms,
        files=files.tolist(),
        pause_s=float(generator.uniform(0, 30)),
        lead_in_s=lead_in_s,
    )


class Shelf:
    """A reader of recordings in memory; those named `bad` cannot be read."""

    def __init__(self, records: Sequence[Record], bad: Sequence[str] = ()) -> None:
        self._records = {record.record_id: record for record in records}
        self._bad = bad

    @property
    def root(self) -> Path:
        return Path("shelf")

    @property
    def record_ids(self) -> tuple[str, ...]:
        return tuple(sorted({*self._records, *self._bad}))

    @property
    def left_out(self) -> tuple[str, ...]:
        return ()

    def read(self, record_id: str) -> Record:
        if record_id in self._bad:
            raise FormatError(record_id, "it is torn", "mend it")
        return self._records[record_id]

"""Windows of a database, whose sinus rhythm is evidence, what is scored, and cached embeddings.

```
one patient   SR SR SR SR SR SR SR SR ... SR | AF AF | SR SR ...
evidence      |--- t ---|                         windows that lie wholly in it
              |--------- 60 min ---------|10 min|
scored                                          windows that begin after that
```
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from pacl.features import hrv_features
from pacl.models import Network
from pacl.records import Rhythm, open_records
from pacl.rr import RRWindowSet, fit_scale, prepare
from pacl.spans import runs
from pacl.studies.folder import RunFolder
from pacl.studies.inputs import all_in
from pacl.studies.provenance import digest_of, open_rr_windows
from pacl.studies.weights.recipe import CUT, RULE

LEAST_RUN_MIN = 5.0
LONGEST_MIN = 60.0
APART_MIN = 10.0
LEAST_SCORED = 20
CHUNK = 2048


@dataclass(frozen=True, eq=False)
class Person:
    """One patient: rows of the evidence in order, when each ends, and rows that are scored."""

    name: str
    run: np.ndarray
    ends_min: np.ndarray
    scored: np.ndarray

    def evidence(self, minutes: float) -> np.ndarray:
        """Rows of windows that lie wholly in the first minutes: at least one, none for 0."""
        if minutes == 0:
            return self.run[:0]
        return self.run[: max(1, int(np.searchsorted(self.ends_min, minutes, side="right")))]


class Cohort:
    """All windows of a database, in order of time for each patient."""

    def __init__(self, data: Path, cache: Path) -> None:
        self.name, self.cache = data.name, cache
        folder = cache / f"{self.name}-windows"
        if not folder.exists():
            prepare(open_records(data), folder, protocol=RULE, divide=all_in("test"), cut=CUT)
        windows, _ = open_rr_windows(folder)
        table = windows.table
        order = np.lexsort((table.onset_s, table.record.codes, table.patient.codes))
        self.windows = windows.select(order)
        self.table = self.windows.table
        self.label = self.table.labels
        self.patient = self.table.patient.codes
        passed_min = np.append(0.0, np.cumsum(windows.rr_ms, dtype=np.float64)) / 60_000
        others = np.append(0, np.cumsum(windows.beat_rhythm != Rhythm.SR))
        start, stop = self.table.start, self.table.start + CUT.window_beats
        self.minutes = passed_min[start + CUT.stride] - passed_min[start]
        self.long_min = passed_min[stop] - passed_min[start]
        self.sinus = others[stop] == others[start]
        self.digest = digest_of(self.windows)

    @cached_property
    def people(self) -> list[Person]:
        """Patients with evidence and enough windows of both classes after it."""
        found = []
        for code in np.unique(self.patient):
            rows = np.flatnonzero(self.patient == code)
            person = self._person(rows)
            if person is not None:
                last = self.table.start[person.run].max() + CUT.window_beats
                assert self.table.start[person.scored].min() >= last, "evidence would be scored"
                found.append(person)
        return found

    def _person(self, rows: np.ndarray) -> Person | None:
        run = self._first_run(rows)
        if run is None:
            return None
        onset_min = self.table.onset_s / 60
        begins = onset_min[run[0]]
        ends = onset_min[run] + self.long_min[run] - begins
        after = begins + min(LONGEST_MIN, ends[-1]) + APART_MIN
        scored = rows[onset_min[rows] >= after]
        if min(np.bincount(self.label[scored], minlength=2)) < LEAST_SCORED:
            return None
        kept = ends <= LONGEST_MIN
        name = self.table.patient.names[self.patient[rows[0]]]
        return Person(f"{self.name}/{name}", run[kept], ends[kept], scored)

    def _first_run(self, rows: np.ndarray) -> np.ndarray | None:
        """The first windows of nothing but sinus rhythm, one after the other without a gap."""
        for low, high in runs(self.sinus[rows]):
            some = rows[low:high]
            cuts = np.flatnonzero(np.diff(self.table.start[some]) != CUT.stride) + 1
            for piece in np.split(some, cuts):
                if self.minutes[piece[:-1]].sum() + self.long_min[piece[-1]] >= LEAST_RUN_MIN:
                    return piece
        return None

    def scales(self, minutes: float) -> Iterator[tuple[Person, tuple[float, float] | None]]:
        """Median and IQR of the beats of each person's evidence (Eq. 4); None without evidence."""
        for person in self.people:
            rows = person.evidence(minutes)
            if not rows.size:
                yield person, None
                continue
            low, high = self.table.start[rows[0]], self.table.start[rows[-1]] + CUT.window_beats
            scale = fit_scale(np.asarray(self.windows.rr_ms[low:high]))
            yield person, (scale.centre_ms, max(scale.scale_ms, 1.0))

    def embedded(self, run: Path) -> np.ndarray:
        """Pooled embeddings of all windows by a run, kept in the cache."""
        return cached_embedding(self.cache, self.name, run, self.windows)

    def hrv(self) -> np.ndarray:
        """HRV features of all windows, kept in the cache."""
        kept = self.cache / f"{self.name}-hrv-{self.digest[:12]}.npy"
        if not kept.exists():
            every = np.array_split(np.arange(len(self.windows)), len(self.windows) // CHUNK + 1)
            parts = [hrv_features(self.windows.windows(rows, scaled=False)) for rows in every]
            np.save(kept, np.concatenate(parts).astype(np.float32))
        return np.load(kept)


def cached_embedding(cache: Path, name: str, run: Path, windows: RRWindowSet) -> np.ndarray:
    """Pooled embeddings of windows by a run, kept by the digest of both."""
    key = hashlib.sha256((run / "model.safetensors").read_bytes())
    key.update(digest_of(windows).encode())
    kept = cache / f"{name}-by-{run.name}-{key.hexdigest()[:12]}.npy"
    if not kept.exists():
        np.save(kept, embed(RunFolder.open(run).encoder(), windows))
    return np.load(kept)


@torch.no_grad()
def embed(encoder: Network, windows: RRWindowSet) -> np.ndarray:
    """Pooled embeddings of windows, scaled as the table of the set says."""
    encoder.eval()
    every = np.array_split(np.arange(len(windows)), len(windows) // CHUNK + 1)
    parts = [encoder(torch.from_numpy(windows.windows(rows))).pooled.numpy() for rows in every]
    return np.concatenate(parts)

"""What a recording holds, counted: beats, hours, rhythms, gaps."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np

from pacl.records.record import PLAUSIBLE_MS, Record
from pacl.records.rhythm import Rhythm


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts of one recording.

    Gaps, within a file and between two, are counted apart: they are part of no rhythm's hours and
    not implausible beats. `not_judged_s` is the time whose beats cannot be trusted.
    """

    patient_id: str
    record_id: str
    files: int
    beats: int
    hours: float
    rhythm_hours: Mapping[Rhythm, float]
    rhythm_beats: Mapping[Rhythm, int]
    af_episodes: int
    gaps: int
    gap_s: float
    implausible: int
    not_judged_s: float = 0.0

    @classmethod
    def of(cls, record: Record) -> "Overview":
        """Count what a recording holds."""
        gaps = record.gaps()
        seconds = record.rr_ms.astype(np.float64) / 1000
        pauses_s = record.pauses_s()
        gap_s = float(seconds[gaps].sum() + pauses_s.sum())
        seconds[gaps] = 0
        rhythm = record.rhythm()
        hours = np.bincount(rhythm, weights=seconds, minlength=len(Rhythm)) / 3600
        beats = np.bincount(rhythm, minlength=len(Rhythm))
        low, high = PLAUSIBLE_MS
        return cls(
            patient_id=record.patient_id,
            record_id=record.record_id,
            files=int(record.file_starts.size),
            beats=len(record),
            hours=record.duration_s / 3600,
            rhythm_hours={r: float(hours[r]) for r in Rhythm},
            rhythm_beats={r: int(beats[r]) for r in Rhythm},
            af_episodes=sum(run.rhythm is Rhythm.AF for run in record.rhythm_runs()),
            gaps=int(gaps.size + pauses_s.size),
            gap_s=gap_s,
            implausible=int(np.count_nonzero((record.rr_ms < low) | (record.rr_ms > high)))
            - int(gaps.size),
            not_judged_s=fsum(one.end_s - one.start_s for one in record.not_judged),
        )

    @property
    def af_burden(self) -> float:
        """Share of the time without gaps that is spent in AF."""
        total = sum(self.rhythm_hours.values())
        return self.rhythm_hours[Rhythm.AF] / total if total else 0.0

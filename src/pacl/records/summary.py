"""What a record's RR intervals look like in each rhythm: mean, SDNN, RMSSD and pNN50.

The four statistics are those of the Task Force of the ESC and NASPE (Circulation 93, 1996), here
over raw intervals: no ectopic beat is taken out, because in these patients it is part of the
rhythm. Intervals outside `PLAUSIBLE_MS` count in none of them, nor does a step from or to one.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Int64, Real
from pacl.records.record import PLAUSIBLE_MS, Record
from pacl.records.rhythm import Rhythm

STATISTICS = ("mean_ms", "sdnn_ms", "rmssd_ms", "pnn50")


@dataclass(frozen=True, slots=True)
class RhythmSummary:
    """One record in one rhythm: each statistic averaged over that record's segments.

    Parameters
    ----------
    segments
        Number of segments completely within the rhythm.
    sdnn_ms
        Standard deviation of the RR intervals of a segment (ddof = 1).
    rmssd_ms
        Root mean square of the differences between neighbouring intervals.
    pnn50
        Share of those differences above 50 ms, 0 to 1.
    """

    record_id: str
    patient_id: str
    rhythm: Rhythm
    segments: int
    mean_ms: float
    sdnn_ms: float
    rmssd_ms: float
    pnn50: float


def summarise(record: Record, segment_beats: int = 1000) -> tuple[RhythmSummary, ...]:
    """Sum up a record, SR first, then AF; a rhythm without a complete segment is left out.

    Segments are consecutive, do not overlap, and are within one rhythm run and one stretch.
    A segment of which less than half the intervals are plausible is skipped.
    """
    found = []
    for rhythm in (Rhythm.SR, Rhythm.AF):
        starts = segment_starts(record, rhythm, segment_beats)
        if starts.size:
            segments = record.rr_ms[starts[:, None] + np.arange(segment_beats)]
            table = segment_statistics(segments)
            table = table[np.isfinite(table).all(axis=1)]
            if len(table):
                values = dict(zip(STATISTICS, table.mean(axis=0).tolist(), strict=True))
                found.append(
                    RhythmSummary(record.record_id, record.patient_id, rhythm, len(table), **values)
                )
    return tuple(found)


def segment_starts(record: Record, rhythm: Rhythm, segment_beats: int) -> Int64[Array, "segment"]:
    """First beat of each complete segment of `rhythm` that crosses no gap and no file boundary."""
    starts: list[Int64[Array, "part"]] = [np.empty(0, dtype=np.int64)]
    stretches = record.stretches()
    for span in record.rhythm_runs():
        if span.rhythm is rhythm:
            for first, last in stretches:
                lo, hi = max(first, span.start), min(last, span.stop)
                starts.append(np.arange(lo, hi - segment_beats + 1, segment_beats, dtype=np.int64))
    return np.concatenate(starts)


def segment_statistics(rr_ms: Real[Array, "segment beat"]) -> Real[Array, "segment statistic"]:
    """`STATISTICS` of each segment, NaN where less than half its intervals are plausible."""
    low, high = PLAUSIBLE_MS
    kept = (rr_ms >= low) & (rr_ms <= high)
    count = kept.sum(axis=1)
    pairs = kept[:, 1:] & kept[:, :-1]
    steps = pairs.sum(axis=1)
    value = rr_ms.astype(np.float64)
    step = np.abs(np.diff(value, axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(kept, value, 0.0).sum(axis=1) / count
        spread = np.where(kept, value - mean[:, None], 0.0)
        sdnn = np.sqrt((spread**2).sum(axis=1) / (count - 1))
        rmssd = np.sqrt(np.where(pairs, step**2, 0.0).sum(axis=1) / steps)
        pnn50 = (pairs & (step > 50)).sum(axis=1) / steps
    table = np.stack([mean, sdnn, rmssd, pnn50], axis=1)
    table[2 * count < rr_ms.shape[1]] = np.nan
    return table

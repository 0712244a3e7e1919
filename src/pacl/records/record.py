"""One recording: RR intervals in ms, the rhythm of each beat, and their source (2.1)."""

import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from pacl.axes import Array, Bool, Float64, Int, Int8, Int64, Real
from pacl.records.errors import LayoutError, RhythmError, ValueRangeError
from pacl.records.rhythm import Span, per_beat, runs
from pacl.spans import NotJudged
from pacl.spans import runs as true_runs

GAP_MS = 10_000
"""An RR interval above this is missing signal, not a heart beat: it ends a contiguous stretch."""

PLAUSIBLE_MS = (200, 2000)
"""An RR interval outside these bounds is no single heart beat (section 2.1)."""


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """One recording of one patient.

    ```
    file 0                              file 1
    |-rr-|--rr--|-rr-|====gap====|-rr-| |-rr-|-rr-|--rr--|     rr_ms, one value an interval
    <------ span: SR -----><--------- span: AF --------->      spans tile all beats
    <--- stretch ---->           <---->  <--------------->     stretches cross no gap, no file
    ```

    Beat `i` is the interval `rr_ms[i]`, which begins at the heart beat that has its rhythm.
    Nothing is ever removed from a record, so that times stay right: filters make masks.

    Parameters
    ----------
    patient_id, record_id
        The patient, by whom data are split, and the recording, unique within its source.
    rr_ms
        RR intervals of all files, one after the other, int32 or float32.
    file_starts
        Index of the first beat of each contiguous file.
    file_onset_s
        When each file's first interval begins, in seconds from the start of the recording.
    spans
        Rhythm spans that tile the beats without gap or overlap.
    digest, source
        SHA-256 over all that the record was read from, and its path.
    started
        Wall-clock time of second 0, where it is known.
    lead_in_s
        Seconds of calibration signal at the start.
    not_judged
        Stretches whose beats cannot be trusted, in order and apart, in seconds from the start of
        the recording: noise in an ECG, for example. Their intervals are kept, as found.
    """

    patient_id: str
    record_id: str
    rr_ms: Real[Array, "beat"]
    file_starts: Int64[Array, "file"]
    file_onset_s: Float64[Array, "file"]
    spans: tuple[Span, ...]
    digest: str
    source: str
    started: datetime | None = None
    lead_in_s: float = 0.0
    not_judged: tuple[NotJudged, ...] = ()

    def __post_init__(self) -> None:
        where = f"{self.source} (record {self.record_id})"
        if self.rr_ms.ndim != 1 or self.rr_ms.dtype not in (np.int32, np.float32):
            raise ValueRangeError(
                where,
                f"rr_ms must be one-dimensional int32 or float32, got {self.rr_ms.dtype} "
                f"of shape {self.rr_ms.shape}",
                "convert it before building a Record",
            )
        if not self.rr_ms.size:
            raise ValueRangeError(where, "it has no RR interval", "leave the record out")
        check_rr(self.rr_ms, where)
        starts = self.file_starts
        if not starts.size or starts[0] != 0 or np.any(np.diff(starts) <= 0):
            raise LayoutError(
                where, "file_starts must rise from 0", "give the first beat of each file"
            )
        if starts[-1] >= self.rr_ms.size or starts.size != self.file_onset_s.size:
            raise LayoutError(
                where, "a file without beats or without an onset", "leave empty files out"
            )
        _check_tiling(self.spans, self.rr_ms.size, where)
        fixed = self.rr_ms.view()
        fixed.flags.writeable = False
        object.__setattr__(self, "rr_ms", fixed)

    def __len__(self) -> int:
        return int(self.rr_ms.size)

    def __repr__(self) -> str:
        return (
            f"Record({self.record_id!r}, patient {self.patient_id!r}: {len(self):,} intervals, "
            f"{self.duration_s / 3600:.1f} h, {self.file_starts.size} file(s))"
        )

    @property
    def duration_s(self) -> float:
        """Sum of all intervals in seconds, gaps included."""
        return self.seconds(0, len(self))

    def file_bounds(self) -> list[tuple[int, int]]:
        """First and one-past-last beat of each contiguous file."""
        stops = np.append(self.file_starts[1:], len(self))
        return list(zip(self.file_starts.tolist(), stops.tolist(), strict=True))

    def onset_s(self) -> Float64[Array, "beat"]:
        """When each interval begins, in seconds from the start of the recording."""
        elapsed = np.cumsum(self.rr_ms, dtype=np.float64)
        elapsed -= self.rr_ms
        elapsed /= 1000
        shift = self.file_onset_s - elapsed[self.file_starts]
        for (start, stop), by in zip(self.file_bounds(), shift, strict=True):
            elapsed[start:stop] += by
        return elapsed

    def begins_s(self, beats: Int[Array, "some"]) -> Float64[Array, "some"]:
        """When some intervals begin: `onset_s()[beats]`, without computing all of them.

        One past the last beat is the end of the recording.
        """
        if not beats.size:
            return np.empty(0)
        elapsed_s = self.elapsed_s(np.concatenate([beats, self.file_starts]))
        at, file_at = elapsed_s[: beats.size], elapsed_s[beats.size :]
        file = np.searchsorted(self.file_starts, beats, side="right") - 1
        return at - file_at[file] + self.file_onset_s[file]

    def elapsed_s(self, beats: Int[Array, "some"]) -> Float64[Array, "some"]:
        """Sum of all intervals before each of some beats, in seconds."""
        edges, where = np.unique(np.append(beats, 0), return_inverse=True)
        if edges.size == 1:
            return np.zeros(beats.size)
        between = np.add.reduceat(self.rr_ms[: edges[-1]], edges[:-1], dtype=self._exact)
        return np.append(0, np.cumsum(between))[where[:-1]] / 1000

    @property
    def _exact(self) -> type[np.int64] | type[np.float64]:
        """The type in which intervals are summed: integers stay exact."""
        return np.int64 if self.rr_ms.dtype.kind == "i" else np.float64

    def seconds(self, start: int, stop: int) -> float:
        """Sum of the intervals from `start` up to, but not including, `stop`."""
        return float(self.rr_ms[start:stop].sum(dtype=self._exact)) / 1000

    def beat_after(self, beat: int, seconds: float) -> int:
        """First beat that begins at least `seconds` after `beat` does; the end if none does."""
        passed_ms, step = self._exact(0), 8192
        while beat < len(self) and passed_ms < seconds * 1000:
            sums_ms = passed_ms + np.cumsum(self.rr_ms[beat : beat + step], dtype=self._exact)
            found = int(np.searchsorted(sums_ms, seconds * 1000))
            beat += min(found + 1, sums_ms.size)
            passed_ms, step = sums_ms[min(found, sums_ms.size - 1)], 2 * step
        return beat

    def cannot_be_judged(self) -> Bool[Array, "beat"]:
        """Which intervals lie in a stretch that is not judged."""
        if not self.not_judged:
            return np.zeros(len(self), dtype=np.bool_)
        middle_s = self.onset_s() + self.rr_ms / 2000.0
        edges_s = np.array([(one.start_s, one.end_s) for one in self.not_judged]).ravel()
        found: Bool[Array, "beat"] = np.searchsorted(edges_s, middle_s) % 2 == 1
        return found

    def rhythm(self) -> Int8[Array, "beat"]:
        """The `Rhythm` of each beat."""
        return per_beat(self.spans)

    def rhythm_runs(self) -> tuple[Span, ...]:
        """Spans with neighbours of the same rhythm joined."""
        return runs(self.spans)

    def gaps(self) -> Int64[Array, "gap"]:
        """Intervals that are missing signal: RR above `GAP_MS`."""
        return np.flatnonzero(self.rr_ms > GAP_MS)

    def pauses_s(self) -> Float64[Array, "pause"]:
        """Time that passes between the end of a file and the start of the next, above 10 s."""
        ends = self.file_starts[1:] - 1
        between = self.file_onset_s[1:] - (self.begins_s(ends) + self.rr_ms[ends] / 1000.0)
        found: Float64[Array, "pause"] = between[between > GAP_MS / 1000]
        return found

    def stretches(self) -> list[tuple[int, int]]:
        """Longest ranges of beats, half-open, that hold no gap and cross no file boundary."""
        gaps = self.gaps()
        edges = np.unique(np.concatenate([self.file_starts, gaps, gaps + 1, [len(self)]]))
        is_gap = np.isin(edges[:-1], gaps)  # between two edges is a stretch or a single gap
        starts, stops = edges[:-1][~is_gap], edges[1:][~is_gap]
        return list(zip(starts.tolist(), stops.tolist(), strict=True))

    def without_beats_s(self) -> float:
        """Time that is not judged and lies outside all intervals, as before the first beat."""
        aside_s = math.fsum(one.end_s - one.start_s for one in self.not_judged)
        return max(aside_s - float(self.rr_ms[self.cannot_be_judged()].sum()) / 1000, 0.0)

    def trusted_stretches(self) -> list[tuple[int, int]]:
        """Stretches without the beats that are not judged."""
        if not self.not_judged:
            return self.stretches()
        aside = self.cannot_be_judged()
        return [
            (start + low, start + high)
            for start, stop in self.stretches()
            for low, high in true_runs(~aside[start:stop])
        ]


def check_rr(rr_ms: Real[Array, "beat"], where: str) -> None:
    """Refuse RR that are not finite or below zero; 0 and 46,860 ms occur in real recordings."""
    integers = rr_ms.dtype.kind in "iu"
    if not (rr_ms.min() >= 0 and (integers or np.isfinite(rr_ms.max()))):
        bad = ~np.isfinite(rr_ms) | (rr_ms < 0)
        first = int(np.argmax(bad))
        raise ValueRangeError(
            where,
            f"{int(bad.sum())} RR interval(s) not finite or negative, the first is "
            f"{rr_ms[first]} at beat {first}",
            "repair or remove them: time cannot be counted across an unknown interval",
        )


def _check_tiling(spans: tuple[Span, ...], beats: int, where: str) -> None:
    at = 0
    for span in spans:
        if span.start != at or span.stop <= span.start:
            raise RhythmError(
                where,
                f"rhythm spans must follow each other without gap or overlap, but {span} "
                f"comes after beat {at}",
                "use pacl.records.tile to fill what is free",
            )
        at = span.stop
    if at != beats:
        raise RhythmError(
            where,
            f"rhythm spans end at beat {at}, the record at {beats}",
            "use pacl.records.tile to fill what is free",
        )

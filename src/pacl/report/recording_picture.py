"""The picture of a recording, as `pacl inspect` computes it: intervals, runs, gaps, close-ups."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float64, Int8, Real
from pacl.cohort import CohortProtocol
from pacl.records import GAP_MS, Overview, Record, Rhythm, Span
from pacl.report.style import RHYTHM_NAMES
from pacl.report.tachogram import Tachogram, compute_tachogram
from pacl.report.time_axis import TimeAxis
from pacl.rr import Cut, cut_windows

CLOSE_UP_BEATS = 200


@dataclass(frozen=True, eq=False, slots=True)
class CloseUp:
    """A few hundred beats, with what they show."""

    title: str
    start: int
    onset_s: Float64[Array, "beat"]
    rr_ms: Real[Array, "beat"]
    rhythm: Int8[Array, "beat"]


@dataclass(frozen=True, slots=True)
class Use:
    """What a protocol takes of the recording: beats to scale on, and windows."""

    protocol: str
    scale_h: tuple[tuple[float, float], ...]
    windows_h: tuple[tuple[float, float, Rhythm], ...]
    windows: Mapping[Rhythm, int]


@dataclass(frozen=True, eq=False, slots=True)
class RecordingPicture:
    """All that the picture shows; a `linked` dot is followed by the next one without a gap."""

    overview: Overview
    axis: TimeAxis
    dots: Tachogram
    linked: Bool[Array, "dot"]
    runs_h: tuple[tuple[float, float, Rhythm], ...]
    gaps_h: tuple[tuple[float, float], ...]
    file_onsets_h: tuple[float, ...]
    close_ups: tuple[CloseUp, ...]
    use: Use | None = None


def compute_recording_picture(
    record: Record, protocol: CohortProtocol | None = None
) -> RecordingPicture:
    """Compute the picture of a recording, with what a protocol takes of it."""
    onset_s = record.onset_s()
    rhythm = record.rhythm()
    end_s = onset_s + record.rr_ms / 1000.0
    linked = np.ones(len(record), dtype=bool)
    linked[[stop - 1 for _, stop in record.stretches()]] = False
    return RecordingPicture(
        overview=Overview.of(record),
        axis=TimeAxis.of(record),
        dots=compute_tachogram(record, rhythm),
        linked=linked[record.rr_ms <= GAP_MS],
        runs_h=tuple(
            (float(onset_s[run.start]) / 3600, float(end_s[run.stop - 1]) / 3600, run.rhythm)
            for run in record.rhythm_runs()
        ),
        gaps_h=_gaps_h(record, onset_s, end_s),
        file_onsets_h=tuple((record.file_onset_s[1:] / 3600).tolist()),
        close_ups=tuple(
            CloseUp(title, start, onset_s[part], record.rr_ms[part], rhythm[part])
            for title, start in _close_ups(record)
            for part in [slice(start, start + CLOSE_UP_BEATS)]
        ),
        use=_use(record, protocol, onset_s, end_s) if protocol else None,
    )


def _use(
    record: Record,
    protocol: CohortProtocol,
    onset_s: Float64[Array, "beat"],
    end_s: Float64[Array, "beat"],
) -> Use:
    window_beats = Cut().window_beats
    found = cut_windows(record, protocol.select(record), window_beats=window_beats)
    first = found.raw_index[found.start]
    last = found.raw_index[found.start + window_beats - 1]
    # A block of windows ends before a break, or where the label changes.
    order = np.argsort(first, kind="stable")
    first, last, rhythm = first[order], last[order], found.rhythm[order]
    new = np.ones(first.size, dtype=bool)
    new[1:] = (first[1:] > last[:-1]) | (rhythm[1:] != rhythm[:-1])
    heads = np.flatnonzero(new)
    tails = np.append(heads[1:], first.size)[: heads.size] - 1
    return Use(
        protocol=type(protocol).__name__.removesuffix("Protocol").lower(),
        scale_h=tuple(
            (float(onset_s[start]) / 3600, float(end_s[stop - 1]) / 3600)
            for start, stop in found.scale_beats
        ),
        windows_h=tuple(
            (
                float(onset_s[first[head]]) / 3600,
                float(end_s[last[tail]]) / 3600,
                Rhythm(int(rhythm[head])),
            )
            for head, tail in zip(heads.tolist(), tails.tolist(), strict=True)
        ),
        windows={kind: int(np.count_nonzero(rhythm == kind)) for kind in (Rhythm.SR, Rhythm.AF)},
    )


def _gaps_h(
    record: Record, onset_s: Float64[Array, "beat"], end_s: Float64[Array, "beat"]
) -> tuple[tuple[float, float], ...]:
    """Missing signal: intervals above 10 s, and time that passes between two files."""
    inside = [(onset_s[at], end_s[at]) for at in record.gaps().tolist()]
    starts = record.file_starts[1:].tolist()
    between = [(end_s[at - 1], onset_s[at]) for at in starts if onset_s[at] - end_s[at - 1] > 10]
    return tuple((float(a) / 3600, float(b) / 3600) for a, b in sorted(inside + between))


def _close_ups(record: Record) -> list[tuple[str, int]]:
    """Titles and first beats: within SR, over an onset of AF, within AF; those that exist."""
    half = CLOSE_UP_BEATS // 2
    annotated = record.rhythm()
    stretches = record.stretches()
    runs = record.rhythm_runs()

    def inside(runs: list[Span]) -> int | None:
        """The middle of the longest stretch of these runs without a gap."""
        places = [
            (min(stop, run.stop) - max(start, run.start), max(start, run.start))
            for run in runs
            for start, stop in stretches
        ]
        length, start = max(places, default=(0, 0))
        return start + (length - CLOSE_UP_BEATS) // 2 if length >= CLOSE_UP_BEATS else None

    found = []
    for rhythm in (Rhythm.SR, Rhythm.AF):
        at = inside([run for run in runs if run.rhythm is rhythm])
        if at is not None:
            found.append((f"{CLOSE_UP_BEATS} beats of {RHYTHM_NAMES[rhythm]}", at))
    onsets = [
        (len(run), run.start)
        for run in runs
        if run.rhythm is Rhythm.AF
        and len(run) >= half
        and np.all(annotated[max(run.start - half, 0) : run.start] != Rhythm.AF)
        and any(start <= run.start - half and run.start + half <= stop for start, stop in stretches)
    ]
    if onsets and len(found) == 2:
        longest = max(onsets)[1]
        found.insert(1, (f"onset of AF, {half} beats either side", longest - half))
    if not found and len(record) >= CLOSE_UP_BEATS:
        found.append((f"the first {CLOSE_UP_BEATS} beats", 0))
    return found

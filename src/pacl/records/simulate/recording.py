"""One recording: rhythms in turn, each with its ectopy, recorded by a faulty detector."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from pacl.axes import Array, Float64, Int, Int64, UInt8
from pacl.records.content import digest
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm, Span, runs
from pacl.records.simulate.detector import CALIBRATION_S, add_faults, calibration_rr, on_grid
from pacl.records.simulate.ectopy import disturb_fibrillation, disturb_sinus, pause_lengths
from pacl.records.simulate.fibrillation import fibrillation_rr
from pacl.records.simulate.physiology import Kind, Physiology
from pacl.records.simulate.sinus import sinus_rr
from pacl.records.simulate.timeline import FILE_S, Run, Timeline

SPARE = 1.06
"""How many more beats are drawn than the mean interval asks for, to fill a run in one go."""


@dataclass(frozen=True, eq=False, slots=True)
class SimulatedRecord:
    """A recording as a reader returns it, the `Kind` of each interval, and the plan."""

    record: Record
    kind: UInt8[Array, "beat"]
    timeline: Timeline


def simulate_record(
    physiology: Physiology,
    timeline: Timeline,
    generator: np.random.Generator,
    *,
    patient_id: str = "patient_000",
    record_id: str = "record_000",
) -> SimulatedRecord:
    """Simulate one recording of one patient.

    Examples
    --------
    >>> from pacl.records.simulate import Population, draw_timeline
    >>> generator = np.random.default_rng(7)
    >>> physiology = Population().draw(generator)
    >>> timeline = draw_timeline(Population(), generator)
    >>> made = simulate_record(physiology, timeline, generator)
    >>> len(made.kind) == len(made.record)
    True
    """
    parts: list[Int[Array, "part"]] = []
    kinds: list[UInt8[Array, "part"]] = []
    spans: list[Span] = []
    midnight = timeline.started.replace(hour=0, minute=0, second=0)
    clock_s = (timeline.started - midnight).total_seconds()
    planned_ms, elapsed_ms, beats = 0.0, 0, 0
    before: Rhythm | None = None
    for run in timeline.runs:
        planned_ms += 1000 * run.seconds
        need_ms = planned_ms - elapsed_ms
        if need_ms <= 0:
            continue
        rr, kind = _fill(physiology, run, before, need_ms, clock_s + elapsed_ms / 1000, generator)
        rr, kind = add_faults(rr, kind, physiology.detector, generator)
        if not parts:
            rr, kind = _calibrate(rr, kind, generator)
        parts.append(rr)
        kinds.append(kind)
        spans.append(Span(beats, beats + rr.size, run.rhythm))
        beats += rr.size
        elapsed_ms += int(rr.sum(dtype=np.int64))
        before = run.rhythm
    rr_ms = np.concatenate(parts)
    starts, onsets = _files(rr_ms, timeline.files)
    record = Record(
        patient_id=patient_id,
        record_id=record_id,
        rr_ms=rr_ms,
        file_starts=starts,
        file_onset_s=onsets,
        spans=runs(spans),
        digest=digest([("rr", rr_ms.tobytes()), ("spans", repr(spans).encode())]),
        source="simulated",
        started=timeline.started,
        lead_in_s=float(CALIBRATION_S),
    )
    return SimulatedRecord(record, np.concatenate(kinds), timeline)


def _fill(
    physiology: Physiology,
    run: Run,
    before: Rhythm | None,
    need_ms: float,
    clock_s: float,
    generator: np.random.Generator,
) -> tuple[Int[Array, "beat"], UInt8[Array, "beat"]]:
    """Intervals of one rhythm, the last of which reaches `need_ms`."""
    mean_ms = (physiology.fibrillation if run.rhythm is Rhythm.AF else physiology.sinus).mean_ms
    parts: list[Int[Array, "part"]] = []
    kinds: list[UInt8[Array, "part"]] = []
    done_ms = 0
    while done_ms < need_ms:
        beats = ceil(SPARE * (need_ms - done_ms) / mean_ms) + 16
        now_s = clock_s + done_ms / 1000
        if run.rhythm is Rhythm.AF:
            rr = fibrillation_rr(physiology.fibrillation, beats, now_s, generator)
            kind = disturb_fibrillation(rr, physiology.ectopy, generator)
        else:
            rr = sinus_rr(physiology.sinus, beats, now_s, generator)
            kind = disturb_sinus(rr, physiology.ectopy, generator)
        if not parts and before is Rhythm.AF:  # the suppressed sinus node pauses
            pause = pause_lengths(physiology.ectopy.pause_ms, 1, generator)
            rr[0] = max(float(rr[0]), float(pause[0]))
            kind[0] = Kind.PAUSE
        grid = on_grid(rr)
        elapsed = np.cumsum(grid, dtype=np.int64)
        stop = min(int(np.searchsorted(elapsed, need_ms - done_ms)) + 1, grid.size)
        parts.append(grid[:stop])
        kinds.append(kind[:stop])
        done_ms += int(elapsed[stop - 1])
    return np.concatenate(parts), np.concatenate(kinds)


def _calibrate(
    rr_ms: Int[Array, "beat"], kind: UInt8[Array, "beat"], generator: np.random.Generator
) -> tuple[Int[Array, "seen"], UInt8[Array, "seen"]]:
    """Put the calibration signal over the start of a recording."""
    garbage = calibration_rr(generator)
    hidden = int(np.searchsorted(np.cumsum(rr_ms, dtype=np.int64), int(garbage.sum())))
    kinds = np.full(garbage.size, Kind.CALIBRATION, dtype=np.uint8)
    return np.concatenate([garbage, rr_ms[hidden:]]), np.concatenate([kinds, kind[hidden:]])


def _files(
    rr_ms: Int[Array, "beat"], files: int
) -> tuple[Int64[Array, "file"], Float64[Array, "file"]]:
    """First beat of each file, and when it begins: the first at or after each full day."""
    elapsed = np.cumsum(rr_ms, dtype=np.int64)
    later = np.searchsorted(elapsed, 1000 * FILE_S * np.arange(1, files)) + 1
    starts = np.append(0, later).astype(np.int64)
    return starts, np.append(0, elapsed[later - 1]) / 1000

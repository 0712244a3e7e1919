"""The ECG of an EDF, EDF+ or BDF file."""

import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32
from pacl.ecg import Ecg, Segment
from pacl.records.content import digest
from pacl.records.errors import FormatError
from pacl.records.signals.edf_header import (
    HEAD_BYTES,
    EdfHeader,
    EdfSignal,
    parse_edf_header,
    signals_in,
)
from pacl.records.signals.edf_times import MAX_TIMED_RECORDS, contiguous, record_onset
from pacl.records.signals.leads import check_decoded_size, choose_leads
from pacl.records.signals.source_file import SourceFile
from pacl.records.signals.units import millivolts_per, scale_by_size
from pacl.records.signals.wfdb_formats import signed_24

_CHUNK_BYTES = 2**21


def read_edf_ecg(path: Path, lead: str | None = None) -> Ecg:
    """Read the ECG leads of a file.

    Parameters
    ----------
    path
        EDF, EDF+C, EDF+D or BDF.
    lead
        One lead by its name, or by its number from 1; by default all ECG leads, see `choose_leads`.

    Notes
    -----
    All leads of an `Ecg` have one sampling rate: of signals with different rates, those with the
    highest are kept. Data records of EDF+D that follow each other are joined, and where time passes
    between two, a new segment begins; second 0 is the start that the header has. A file that has
    fewer or more data records than it promises is refused. Where the number is -1, the recorder was
    stopped before it could write it: then all whole data records are read.
    """
    source = str(path)
    with SourceFile(path) as file:
        head = file.read(HEAD_BYTES)
        head += file.read(HEAD_BYTES * signals_in(head, source))
        header = parse_edf_header(head, source)
        chosen = _choose(header, lead, source)
        wanted = [header.signals[at] for at in chosen]
        records = _count_records(header, file.size, source)
        samples = wanted[0].samples
        check_decoded_size(len(chosen), records * samples, source)
        if header.has_gaps and records > MAX_TIMED_RECORDS:
            raise FormatError(
                source,
                f"{records:,} data records with gaps, expected at most {MAX_TIMED_RECORDS:,}",
                "export it with longer data records",
            )
        millivolts, onsets_s = _read_records(file, header, chosen, records)
        fingerprint = file.fingerprint()
    runs = [(0, records)]
    if header.has_gaps:
        tolerance_s = header.record_s / samples
        runs = contiguous(onsets_s, header.record_s, tolerance_s, source)
    for row, signal in enumerate(wanted):
        if millivolts_per(signal.unit) is None:
            millivolts[row] *= np.float32(scale_by_size(millivolts[row], source))
    onset_s = {first: onsets_s[first] if onsets_s else 0.0 for first, _ in runs}
    return Ecg(
        fs_hz=samples / header.record_s,
        leads=tuple(signal.name for signal in wanted),
        segments=tuple(
            Segment(onset_s[first], millivolts[:, first * samples : stop * samples])
            for first, stop in runs
        ),
        digest=digest([("edf", fingerprint)]),
        source=source,
        started=header.started,
    )


def _choose(header: EdfHeader, lead: str | None, source: str) -> list[int]:
    """Signals to read: the ECG leads with the highest rate."""
    signals = [at for at, signal in enumerate(header.signals) if not signal.is_annotations]
    found = choose_leads(
        [header.signals[at].name for at in signals],
        [header.signals[at].unit for at in signals],
        lead,
        source,
    )
    most = max(header.signals[signals[at]].samples for at in found)
    chosen = [signals[at] for at in found if header.signals[signals[at]].samples == most]
    if not most or not header.record_s or not 1 <= most / header.record_s <= 1e6:
        raise FormatError(
            source,
            f"{most:,} samples in {header.record_s:g} s, expected 1 Hz to 1 MHz",
            "fetch the file again, its header is damaged",
        )
    for at in chosen:
        _scale(header.signals[at], source)
    return chosen


def _scale(signal: EdfSignal, source: str) -> tuple[float, float]:
    """Millivolts per step of the converter, and millivolts at 0."""
    low, high = signal.digital
    bottom, top = signal.physical
    per = (top - bottom) / (high - low) if high > low else math.nan
    at_zero = bottom - per * low
    if not (math.isfinite(at_zero) and per and abs(per) < 1e12 and abs(at_zero) < 1e12):
        raise FormatError(
            source,
            f"signal {signal.name!r} goes from {bottom:g} to {top:g} {signal.unit} in steps "
            f"{low:g} to {high:g}",
            "export the file again: its scale is damaged",
        )
    unit = millivolts_per(signal.unit) or 1.0
    return per * unit, at_zero * unit


def _count_records(header: EdfHeader, size: int, source: str) -> int:
    there = (size - header.bytes) // (header.record_samples * header.bytes_per_sample)
    if header.records is not None and there != header.records:
        more = "not closed properly" if there > header.records else "cut off"
        raise FormatError(
            source,
            f"{there:,} whole data records, the header promises {header.records:,}",
            f"fetch or export the file again, it is {more}",
        )
    if there < 1:
        raise FormatError(source, "no whole data record", "leave the file out")
    return there


def _read_records(
    file: SourceFile, header: EdfHeader, chosen: Sequence[int], records: int
) -> tuple[Float32[Array, "lead sample"], list[float]]:
    """The chosen signals in millivolts, and when data records begin where they say so.

    Without gaps only the first is asked.
    """
    width = header.bytes_per_sample
    starts = [0, *accumulate(signal.samples for signal in header.signals)]
    samples = header.signals[chosen[0]].samples
    scales = [_scale(header.signals[at], str(file.path)) for at in chosen]
    times = next((at for at, one in enumerate(header.signals) if one.is_annotations), None)
    timed = 0 if times is None or not header.has_times else records if header.has_gaps else 1
    if header.has_gaps and times is None:
        raise FormatError(
            str(file.path), "gaps, but no annotations that say where", "export it as EDF+C"
        )
    millivolts = np.empty((len(chosen), records * samples), np.float32)
    onsets_s: list[float] = []
    step = max(1, _CHUNK_BYTES // (header.record_samples * width))
    for first in range(0, records, step):
        here = min(step, records - first)
        content = file.read_exactly(here * header.record_samples * width)
        raw = np.frombuffer(content, np.uint8).reshape(here, header.record_samples * width)
        for row, at in enumerate(chosen):
            part = np.ascontiguousarray(raw[:, starts[at] * width : starts[at + 1] * width])
            flat = part.reshape(-1)
            numbers = signed_24(flat) if width == 3 else flat.view("<i2")
            per, at_zero = scales[row]
            into = millivolts[row, first * samples : (first + here) * samples]
            into[:] = numbers * per + at_zero
        for number in range(first, min(first + here, timed)):
            if times is not None:
                entry = raw[number - first, starts[times] * width : starts[times + 1] * width]
                onsets_s.append(record_onset(entry.tobytes(), number, str(file.path)))
    return millivolts, onsets_s

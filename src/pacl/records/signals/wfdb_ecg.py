"""The ECG of a WFDB record, of one segment or of many."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.ecg import Ecg, Segment
from pacl.records.content import digest, read_bytes
from pacl.records.errors import FormatError, LayoutError
from pacl.records.header import MAX_HEADER_BYTES
from pacl.records.signals.leads import check_decoded_size, choose_leads
from pacl.records.signals.source_file import MAX_FILE_BYTES
from pacl.records.signals.units import millivolts_per, scale_by_size
from pacl.records.signals.wfdb_files import (
    SignalFile,
    beside,
    check_units,
    count_frames,
    files_of,
)
from pacl.records.signals.wfdb_header import NULL, SignalLine, WfdbHeader, parse_wfdb_header

_MOST_BYTES = 2 * MAX_FILE_BYTES  # of all segments: many may name one large file
_MOST_HEADER_BYTES = 64 * MAX_HEADER_BYTES


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the record: when it begins, its frames, and the files of its leads."""

    onset: int
    frames: int
    files: tuple[SignalFile, ...]
    missing: tuple[int, ...]
    bytes: int


def read_wfdb_ecg(stem: Path, lead: str | None = None) -> Ecg:
    """Read the ECG leads of a record.

    Parameters
    ----------
    stem
        Path of the record without ending; `.hea` is beside it.
    lead
        One lead by its name, or by its number from 1; by default all ECG leads, see `choose_leads`.

    Notes
    -----
    All leads of an `Ecg` have one sampling rate: of signals with different numbers of samples per
    frame, those with the most are kept. Segments that follow each other are joined. One that is
    null, or has none of the leads, is a gap; a lead that is missing beside others is NaN there.
    Checksums are not compared: many published headers have wrong ones.
    """
    source = f"{stem}.hea"
    content = read_bytes(stem.with_name(f"{stem.name}.hea"), MAX_HEADER_BYTES)
    header = parse_wfdb_header(content, source)
    contents = [content]
    if not header.segments:
        layout: WfdbHeader = header
        segments: list[tuple[int, WfdbHeader, str]] = [(0, header, source)]
    else:
        layout, segments = _segments(stem, header, contents)
    if not layout.signals:
        raise LayoutError(source, "it lists no signals", "give a record that has an ECG")
    chosen = choose_leads(
        [line.name for line in layout.signals],
        [line.units for line in layout.signals],
        lead,
        source,
    )
    frame = max(layout.signals[at].samples_per_frame for at in chosen)
    chosen = [at for at in chosen if layout.signals[at].samples_per_frame == frame]
    wanted = [layout.signals[at] for at in chosen]
    fixed = chosen if not header.is_variable else None
    parts = [
        part
        for onset, of_part, where in segments
        if (part := _part(stem.parent, onset, of_part, where, wanted, fixed)) is not None
    ]
    if not parts:
        raise FormatError(source, "no segment has the leads", "choose another with --lead")
    if (size := sum(part.bytes for part in parts)) > _MOST_BYTES:
        raise LayoutError(
            source,
            f"signal files of {size:,} bytes, expected at most {_MOST_BYTES:,}",
            "read its segments one by one",
        )
    check_decoded_size(len(chosen), frame * sum(part.frames for part in parts), source)
    fs_hz = header.fs_hz * frame
    found, prints = _decode(parts, len(chosen), frame, header.fs_hz)
    _scale_unknown(found, wanted, source)
    named = [("hea", one) for one in contents] + [("signal", one) for one in prints]
    return Ecg(
        fs_hz=fs_hz,
        leads=tuple(line.name for line in wanted),
        segments=found,
        digest=digest(named),
        source=str(stem),
        started=header.started,
    )


def wfdb_ecg_files(stem: Path) -> tuple[Path, ...]:
    """The headers and signal files of a record and its segments, as far as they are there."""
    path = stem.with_name(f"{stem.name}.hea")
    header = parse_wfdb_header(read_bytes(path, MAX_HEADER_BYTES), str(path))
    found = dict.fromkeys([path])
    for name in [one.name for one in header.segments if one.name != NULL]:
        found[beside(stem.parent, f"{name}.hea", str(path))] = None
    for one in list(found):
        own = parse_wfdb_header(read_bytes(one, MAX_HEADER_BYTES), str(one))
        for line in own.signals:
            if line.file != NULL:
                found[beside(stem.parent, line.file, str(one))] = None
    return tuple(one for one in found if os.path.lexists(one))


def _segments(
    stem: Path, header: WfdbHeader, contents: list[bytes]
) -> tuple[WfdbHeader, list[tuple[int, WfdbHeader, str]]]:
    """The header that lists all signals, and those of the segments with their first frame."""
    source = f"{stem}.hea"
    total = sum(segment.samples for segment in header.segments)
    if header.samples is not None and total != header.samples:
        raise FormatError(
            source,
            f"its segments have {total:,} samples, it promises {header.samples:,}",
            "fetch the header again",
        )
    names = Counter(segment.name for segment in header.segments if segment.name != NULL)
    if names and names.most_common(1)[0][1] > 1:
        twice = names.most_common(1)[0][0]
        raise FormatError(source, f"it lists segment {twice[:40]!r} twice", "repair the header")
    found: list[tuple[int, WfdbHeader, str]] = []
    layout: WfdbHeader | None = None
    onset = read = 0
    for at, segment in enumerate(header.segments):
        if segment.name != NULL:
            path = beside(stem.parent, f"{segment.name}.hea", source)
            contents.append(read_bytes(path, MAX_HEADER_BYTES))
            read += len(contents[-1])
            if read > _MOST_HEADER_BYTES:
                raise LayoutError(
                    source,
                    f"headers of more than {_MOST_HEADER_BYTES:,} bytes",
                    "read its segments one by one",
                )
            own = parse_wfdb_header(contents[-1], str(path))
            _check_segment(own, header, segment.samples, str(path))
            layout = layout or own
            if segment.samples:
                found.append((onset, own, str(path)))
        onset += segment.samples
        if at == 0 and header.is_variable and layout is None:
            raise FormatError(source, "its first segment lists no signals", "repair the header")
    if layout is None:
        raise FormatError(source, "all its segments are empty", "give a record that has an ECG")
    return layout, found


def _check_segment(own: WfdbHeader, header: WfdbHeader, samples: int, source: str) -> None:
    if own.segments:
        raise FormatError(source, "a segment that has segments itself", "give it by itself")
    if own.fs_hz != header.fs_hz:
        raise FormatError(
            source,
            f"{own.fs_hz:g} Hz in a record of {header.fs_hz:g} Hz",
            "read the segments one by one",
        )
    if own.samples is not None and samples and own.samples != samples:
        raise FormatError(
            source,
            f"a segment of {own.samples:,} samples, the record promises {samples:,}",
            "fetch the headers again",
        )


def _part(
    folder: Path,
    onset: int,
    header: WfdbHeader,
    source: str,
    wanted: Sequence[SignalLine],
    fixed: Sequence[int] | None,
) -> _Part | None:
    """The files of a segment; nothing where it has none of the leads."""
    chosen: list[int | None] = []
    for row, line in enumerate(wanted):
        at = fixed[row] if fixed is not None else _position(header, line.name)
        if at is not None and at >= len(header.signals):
            raise FormatError(source, f"it has no signal {line.name!r}", "fetch the header again")
        if at is not None and header.signals[at].file == NULL:
            at = None
        chosen.append(at)
        if at is not None:
            check_units(header.signals[at], line, source)
        if at is not None and header.signals[at].samples_per_frame != line.samples_per_frame:
            raise FormatError(
                source,
                f"{header.signals[at].samples_per_frame} samples of {line.name!r} a frame, "
                f"elsewhere {line.samples_per_frame}",
                "read the segments one by one",
            )
    if all(at is None for at in chosen):
        return None
    files = files_of(folder, header, chosen, source)
    sizes = [file.size() for file in files]
    frames = count_frames(files, sizes, header.samples, source)
    missing = tuple(row for row, at in enumerate(chosen) if at is None)
    return _Part(onset, frames, tuple(files), missing, sum(sizes))


def _position(header: WfdbHeader, name: str) -> int | None:
    return next((at for at, line in enumerate(header.signals) if line.name == name), None)


def _decode(
    parts: Sequence[_Part], leads: int, frame: int, frames_hz: float
) -> tuple[tuple[Segment, ...], list[bytes]]:
    """Samples of all parts, joined where one follows the other, and fingerprints of the files."""
    runs: list[list[_Part]] = []
    for part in parts:
        if runs and runs[-1][-1].onset + runs[-1][-1].frames == part.onset:
            runs[-1].append(part)
        else:
            runs.append([part])
    found, prints = [], []
    for run in runs:
        millivolts = np.empty((leads, frame * sum(part.frames for part in run)), np.float32)
        at = 0
        for part in run:
            into = millivolts[:, at : at + frame * part.frames]
            into[list(part.missing)] = np.nan
            for file in part.files:
                prints.append(file.read_into(into, part.frames))
            at += into.shape[1]
        found.append(Segment(run[0].onset / frames_hz, millivolts))
    return tuple(found), prints


def _scale_unknown(found: Sequence[Segment], wanted: Sequence[SignalLine], source: str) -> None:
    """Leads without a unit get the one that fits their size, the same for all segments."""
    for row, line in enumerate(wanted):
        if millivolts_per(line.units) is None:
            longest = max(found, key=lambda segment: segment.millivolts.shape[1])
            scale = scale_by_size(longest.millivolts[row], source)
            for segment in found:
                segment.millivolts[row] *= np.float32(scale)

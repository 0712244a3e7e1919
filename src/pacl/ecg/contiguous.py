"""Contiguous parts of an ECG without missing samples."""

from collections.abc import Iterator

import numpy as np

from pacl.axes import Array, Bool, Float32
from pacl.ecg.signal import Ecg, Segment
from pacl.spans import runs

BRIDGED_S = 0.1
"""Fewer missing samples than this are filled by a straight line; more end a part."""

SHORTEST_S = 2.0
"""A shorter part has no two beats that could be trusted."""


def contiguous(ecg: Ecg) -> Iterator[tuple[float, Float32[Array, "lead sample"]]]:
    """Each part with its start in seconds.

    A part ends where all leads are missing, and goes on over a short hole, within a segment or
    between two. A lead that is missing while others go on is a straight line there: it has no
    complexes, so it does not count.
    """
    for segments in _joined(ecg):
        onset_s, millivolts = segments[0].onset_s, _as_one(segments, ecg.fs_hz)
        missing = np.isnan(millivolts)
        parts = [(0, missing.shape[1])]
        if missing.any():
            gone = np.asarray(missing.all(axis=0))
            _bridge(gone, ecg.fs_hz)
            parts = list(runs(~gone))
        for low, high in parts:
            if high - low >= SHORTEST_S * ecg.fs_hz:
                part = millivolts[:, low:high]
                if missing[:, low:high].any():
                    part = np.stack([_filled(lead) for lead in part])
                yield onset_s + low / ecg.fs_hz, part


def _joined(ecg: Ecg) -> Iterator[list[Segment]]:
    """Segments that follow each other within a short hole, as by the clock of an EDF+."""
    group: list[Segment] = []
    end_s = 0.0
    for segment in ecg.segments:
        if group and segment.onset_s - end_s > BRIDGED_S:
            yield group
            group = []
        group.append(segment)
        end_s = segment.onset_s + segment.duration_s(ecg.fs_hz)
    if group:
        yield group


def _as_one(segments: list[Segment], fs_hz: float) -> Float32[Array, "lead sample"]:
    """One array, NaN between segments."""
    if len(segments) == 1:
        return segments[0].millivolts
    first_s, last = segments[0].onset_s, segments[-1]
    size = round((last.onset_s - first_s) * fs_hz) + int(last.millivolts.shape[1])
    found = np.full((len(last.millivolts), size), np.nan, np.float32)
    for segment in segments:
        low = round((segment.onset_s - first_s) * fs_hz)
        part = segment.millivolts[:, : size - low]
        found[:, low : low + part.shape[1]] = part
    return found


def _bridge(gone: Bool[Array, "sample"], fs_hz: float) -> None:
    for low, high in list(runs(gone)):
        if high - low <= BRIDGED_S * fs_hz and low > 0 and high < gone.size:
            gone[low:high] = False


def _filled(lead: Float32[Array, "sample"]) -> Float32[Array, "sample"]:
    """A lead whose holes are straight lines."""
    missing = np.isnan(lead)
    if missing.all():
        return np.zeros_like(lead)
    found = lead.copy()
    for low, high in runs(missing):
        before = lead[low - 1] if low else lead[high]
        after = lead[high] if high < lead.size else before
        found[low:high] = np.linspace(before, after, high - low + 2)[1:-1]
    return found

"""An ECG around a moment, with its beats: computed as plain data."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from pacl.axes import Array, Float32, Float64, Int8
from pacl.ecg import Ecg, clearest_leads
from pacl.errors import PaclError
from pacl.records import Record
from pacl.spans import NotJudged

ROW_S = 10.0
"""A row of the picture, as long as a strip of a 12-lead ECG."""


@dataclass(frozen=True, eq=False, slots=True)
class EcgPicture:
    """What an ECG picture shows, all times in seconds from the start of the recording.

    The lead in which beats are clearest comes first.

    `millivolts` has NaN where nothing was recorded. `rr_ms` is the interval that begins at each of
    `beats_s`, NaN at the last beat before a gap.
    """

    record_id: str
    started: datetime | None
    leads: tuple[str, ...]
    start_s: float
    fs_hz: float
    millivolts: Float32[Array, "lead sample"]
    beats_s: Float64[Array, "beat"]
    rr_ms: Float64[Array, "beat"]
    rhythm: Int8[Array, "beat"]
    not_judged: tuple[NotJudged, ...]

    @property
    def end_s(self) -> float:
        """When it ends."""
        return self.start_s + int(self.millivolts.shape[1]) / self.fs_hz


def compute_ecg_picture(
    record: Record, ecg: Ecg, at_s: float, length_s: float = 3 * ROW_S
) -> EcgPicture:
    """The ECG of `length_s` seconds around a moment, with the beats of the record."""
    if not 0 <= at_s <= ecg.duration_s:
        raise PaclError(
            f"{ecg.source}: --at is {at_s:.0f} s after the start, the ECG has "
            f"{ecg.duration_s:.0f} s; choose a time within it"
        )
    start_s = max(min(at_s - length_s / 2, ecg.duration_s - length_s), 0.0)
    samples = int(min(length_s, ecg.duration_s - start_s) * ecg.fs_hz)
    shown = np.full((len(ecg.leads), samples), np.nan, np.float32)
    for segment in ecg.segments:
        first = round((segment.onset_s - start_s) * ecg.fs_hz)
        low, high = max(first, 0), min(first + segment.millivolts.shape[1], samples)
        if low < high:
            shown[:, low:high] = segment.millivolts[:, low - first : high - first]
    clearest = _clearest(shown, ecg.fs_hz)
    order = [clearest, *(at for at in range(len(ecg.leads)) if at != clearest)]
    end_s = start_s + samples / ecg.fs_hz
    begins_s, rr_s = record.onset_s(), record.rr_ms.astype(np.float64) / 1000
    ends = np.append(np.abs(begins_s[1:] - begins_s[:-1] - rr_s[:-1]) > 1e-3, True)
    beats_s = np.concatenate([begins_s, (begins_s + rr_s)[ends]])
    rr_ms = np.concatenate([record.rr_ms.astype(np.float64), np.full(int(ends.sum()), np.nan)])
    rhythm = np.concatenate([record.rhythm(), record.rhythm()[ends]])
    by_time = np.argsort(beats_s, kind="stable")
    some = by_time[(beats_s[by_time] >= start_s) & (beats_s[by_time] < end_s)]
    return EcgPicture(
        record_id=record.record_id,
        started=record.started,
        leads=tuple(ecg.leads[at] for at in order),
        start_s=start_s,
        fs_hz=ecg.fs_hz,
        millivolts=shown[order],
        beats_s=beats_s[some],
        rr_ms=rr_ms[some],
        rhythm=rhythm[some],
        not_judged=tuple(
            one for one in record.not_judged if one.start_s < end_s and one.end_s > start_s
        ),
    )


def _clearest(millivolts: Float32[Array, "lead sample"], fs_hz: float) -> int:
    """The lead in which complexes stand out most; the first where nothing was recorded."""
    found = clearest_leads(np.nan_to_num(millivolts), fs_hz)
    return int(np.bincount(found).argmax())

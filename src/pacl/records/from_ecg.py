"""From an ECG to a record: how its beats are found, and the record of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64
from pacl.ecg import BEAT_FINDERS, BeatFinder, Beats, Ecg, find_beats
from pacl.records.errors import ValueRangeError
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm, Span

LEAST_FS_HZ = 50.0

Rhythms = Callable[[Float64[Array, "beat"]], tuple[Span, ...]]
"""From when each interval begins, in seconds, to rhythm spans over all of them."""


@dataclass(frozen=True, slots=True)
class EcgOptions:
    """How an ECG is read and searched for beats.

    Parameters
    ----------
    lead
        One lead by its name, or by its number from 1. By default all leads are used together.
    column, sampling_rate
        Of an ECG in text: its column, and samples per second, where the file does not state them.
    beat_finder
        Name of a beat finder, see `BEAT_FINDERS`.
    keep_noise
        Judge all beats, also where noise makes them doubtful.
    """

    lead: str | None = None
    column: str | None = None
    sampling_rate: float | None = None
    beat_finder: str = "averages"
    keep_noise: bool = False

    def finder(self) -> BeatFinder:
        """The beat finder; an error if there is none of this name, or a package is missing."""
        return BEAT_FINDERS.named(self.beat_finder).make()

    def beats(self, ecg: Ecg, finder: BeatFinder) -> tuple[Beats, ...]:
        """Find the beats; a rate too low for a QRS complex is refused."""
        if ecg.fs_hz < LEAST_FS_HZ:
            raise ValueRangeError(
                ecg.source,
                f"{ecg.fs_hz:g} samples a second; beats need at least {LEAST_FS_HZ:g}",
                "export the ECG at its full rate",
            )
        return find_beats(ecg, finder, mask=not self.keep_noise)


def record_from_beats(
    ecg: Ecg,
    parts: tuple[Beats, ...],
    record_id: str,
    patient_id: str,
    rhythms: Rhythms | None = None,
) -> Record:
    """One file for each contiguous part; all beats are kept, also those that are not judged."""
    aside = tuple(one for part in parts for one in part.not_judged)
    parts = tuple(part for part in parts if part.at_s.size)
    if not parts:
        why = f": {aside[0].why}" if aside else ", in pieces of less than 2 s"
        raise ValueRangeError(
            ecg.source,
            f"no two beats found in {ecg.duration_s:.0f} s of {', '.join(ecg.leads)}{why}",
            "check that it is an ECG, or choose another lead (--lead)",
        )
    begins_s = np.concatenate([part.at_s[:-1] for part in parts])
    sizes = np.array([part.at_s.size - 1 for part in parts])
    spans = rhythms(begins_s) if rhythms else (Span(0, begins_s.size, Rhythm.UNKNOWN),)
    return Record(
        patient_id=patient_id,
        record_id=record_id,
        rr_ms=np.concatenate([np.diff(part.at_s) * 1000 for part in parts]).astype(np.float32),
        file_starts=(np.cumsum(sizes) - sizes).astype(np.int64),
        file_onset_s=np.array([part.at_s[0] for part in parts]),
        spans=spans,
        digest=ecg.digest,
        source=ecg.source,
        started=ecg.started,
        not_judged=aside,
    )

"""How recordings are to be read, where the files leave it open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How recordings are to be read, where the files leave it open.

    Each option belongs to certain layouts; giving it for another is an error, not ignored.
    """

    layout: str | None = None
    """Format of the recordings: iridia, wfdb, text, ecg, export, or that of another package;
    `arrays`: signals of any kind (.npz), for pacl prepare. [default: recognised]"""
    patients: Path | None = None
    """CSV with `record_id,patient_id`, for all but IRIDIA-AF; overrides cohort.toml. [default: each
    record is a patient; all recordings of one export are of one]"""
    flutter_is_af: bool = False
    """WFDB: count atrial flutter, marked AFL, as AF."""
    beats: str | None = None
    """WFDB: ending of the files that hold the beats, or `signal` to find beats in the ECG.
    [default: first of atr, qrs, qrsc, ecg; the ECG if there are none]"""
    rhythm: str | None = None
    """WFDB: ending of the files that hold the rhythm marks. [default: atr]"""
    lead: str | None = None
    """ECG: the lead to use, by its name or its number from 1. [default: all leads together] With
    this, --beat-finder or --keep-noise, the beats of a WFDB record are found in its ECG."""
    sampling_rate: float | None = None
    """ECG in text, or beats given as sample numbers: samples per second. [default: as the file
    states]"""
    beat_finder: str = "averages"
    """ECG: averages (of all leads; needs no other package) or sleepecg (of the best lead; needs
    pacl[ecg])."""
    keep_noise: bool = False
    """ECG: judge all beats, also those in noise."""
    column: str | None = None
    """Text: column of the RR intervals, or of the ECG. [default: recognised]"""
    time_column: str | None = None
    """Text: column of the time of each beat. [default: recognised]"""
    rhythm_column: str | None = None
    """Text: column of the rhythm. [default: recognised]"""
    patient_column: str | None = None
    """Text: column of the patient, by which a file is divided into recordings; '' reads a file as
    one recording. [default: recognised]"""
    valid_column: str | None = None
    """Text: column in which 1 marks a valid interval; with '' all are valid. [default:
    recognised]"""
    start: str | None = None
    """Text: when a recording without a clock began, such as 2026-04-01T21:30:00."""
    allow_smoothed: bool = False
    """Text: read intervals that look resampled, averaged or computed from heart rate."""
    unit: Literal["auto", "ms", "s"] = "auto"
    """Text: unit of the RR intervals or beat times."""
    allow_zero: bool = False
    """Text: keep intervals of 0 as implausible beats."""
    metadata: Path | None = None
    """IRIDIA-AF: the metadata CSV. [default: found beside the records]"""
    partial: bool = False
    """IRIDIA-AF: read an incomplete data set."""
    reader: dict[str, list[str]] | None = None
    """Settings of another package's layout, such as --reader.gain 2."""

"""The right reader for a path."""

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from pacl.records.content import listing
from pacl.records.errors import LayoutError
from pacl.records.iridia import RECORD_FOLDER, IridiaReader
from pacl.records.patients import read_patients
from pacl.records.reader import Reader
from pacl.records.rhythm import Rhythm
from pacl.records.text import TEXT_ENDINGS, TextReader
from pacl.records.wfdb import BEAT_ANNOTATORS, WfdbReader

Layout = Literal["iridia", "wfdb", "text"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How recordings are to be read, where they do not say it themselves.

    Each option belongs to certain layouts; giving it for another is an error, not ignored.
    """

    layout: Layout | None = None
    """What the recordings are kept in. [default: recognised]"""
    patients: Path | None = None
    """WFDB, text: CSV with `record_id,patient_id`. [default: each record is a patient]"""
    flutter_is_af: bool = False
    """WFDB: take atrial flutter, `(AFL`, for AF."""
    beats: str | None = None
    """WFDB: ending of the files that hold the beats. [default: first of atr, qrs, qrsc, ecg]"""
    rhythm: str | None = None
    """WFDB: ending of the files that hold the rhythm marks. [default: atr]"""
    column: str | None = None
    """Text: column of the RR intervals. [default: recognised]"""
    time_column: str | None = None
    """Text: column of the time of each beat. [default: recognised]"""
    rhythm_column: str | None = None
    """Text: column of the rhythm. [default: recognised]"""
    patient_column: str | None = None
    """Text: column of the patient, by which a file is divided into recordings; '' reads a file as
    one recording. [default: recognised]"""
    valid_column: str | None = None
    """Text: column in which 1 marks a valid interval; '' takes all for valid. [default:
    recognised]"""
    start: str | None = None
    """Text: when a recording without a clock began, such as 2026-04-01T21:30:00."""
    allow_smoothed: bool = False
    """Text: read intervals that look resampled, averaged or computed from heart rate."""
    unit: Literal["auto", "ms", "s"] = "auto"
    """Text: unit of the RR intervals."""
    allow_zero: bool = False
    """Text: keep intervals of 0 as implausible beats."""
    metadata: Path | None = None
    """IRIDIA-AF: the metadata CSV. [default: found beside the records]"""
    partial: bool = False
    """IRIDIA-AF: read what is there of a data set that is not whole."""


_BELONGS = {
    "patients": ("wfdb", "text"),
    "flutter_is_af": ("wfdb",),
    "beats": ("wfdb",),
    "rhythm": ("wfdb",),
    "column": ("text",),
    "time_column": ("text",),
    "rhythm_column": ("text",),
    "patient_column": ("text",),
    "valid_column": ("text",),
    "start": ("text",),
    "allow_smoothed": ("text",),
    "unit": ("text",),
    "allow_zero": ("text",),
    "metadata": ("iridia",),
    "partial": ("iridia",),
}


def open_records(path: Path | str, options: ReadOptions | None = None) -> Reader:
    """Open the recordings at `path`: a data set, a folder of records, or a single record.

    Examples
    --------
    >>> reader = open_records("ltafdb")  # doctest: +SKIP
    >>> record = reader.read(reader.record_ids[0])  # doctest: +SKIP
    """
    path = Path(path)
    options = options or ReadOptions()
    layout = options.layout or recognise(path)
    for field in fields(options):
        given = getattr(options, field.name) != field.default
        if given and layout not in _BELONGS.get(field.name, (layout,)):
            flag = f"--{field.name.replace('_', '-')}"
            raise LayoutError(path, f"{flag} does not apply to {layout} recordings", f"drop {flag}")
    if layout == "iridia":
        return IridiaReader(path, metadata=options.metadata, partial=options.partial)
    patients = read_patients(options.patients) if options.patients else None
    if layout == "wfdb":
        return WfdbReader(
            path,
            beats=options.beats,
            rhythm=options.rhythm,
            rhythms={"(AFL": Rhythm.AF} if options.flutter_is_af else None,
            patients=patients,
        )
    return TextReader(
        path,
        column=options.column,
        time_column=options.time_column,
        rhythm_column=options.rhythm_column,
        patient_column=options.patient_column,
        valid_column=options.valid_column,
        start=options.start,
        allow_smoothed=options.allow_smoothed,
        unit=options.unit,
        allow_zero=options.allow_zero,
        patients=patients,
    )


def recognise(path: Path) -> Layout:
    """Tell the layout of a path by the names below it."""
    with listing(path):
        return _recognise(path)


def _names_below(path: Path, levels: int) -> tuple[list[str], list[str]]:
    """Names of the folders and of the files in a folder and in those below it."""
    folders: list[str] = []
    files: list[str] = []

    def fail(error: OSError) -> None:
        raise error

    for place, inner, names in os.walk(path, onerror=fail):
        folders += inner
        files += names
        if len(Path(place).relative_to(path).parts) >= levels - 1:
            inner.clear()
    return folders, files


def _recognise(path: Path) -> Layout:
    wfdb = ("hea", *BEAT_ANNOTATORS)
    if path.is_dir():
        if any(path.glob("record_[0-9]*_rr_*.h5")):
            return "iridia"
        folders, files = _names_below(path, levels=3)
        iridia = any(RECORD_FOLDER.fullmatch(name) for name in folders)
        annotated = any(name.rpartition(".")[2] in wfdb for name in files)
        if iridia and annotated:
            raise LayoutError(
                path,
                "both record_NNN folders of IRIDIA-AF and WFDB files lie in it",
                "say which with layout (--layout iridia or --layout wfdb)",
            )
        if iridia or annotated:
            return "iridia" if iridia else "wfdb"
        if any(child.suffix.lower() in TEXT_ENDINGS for child in path.iterdir()):
            return "text"
        raise LayoutError(
            path,
            "no recording recognised: no record_NNN folders, no .hea, .atr or .qrs files, no "
            f"text files ({', '.join(sorted(TEXT_ENDINGS))})",
            "check the folder, or name its layout (--layout)",
        )
    if path.suffix[1:] in wfdb or any(
        path.with_name(f"{path.name}.{ending}").is_file() for ending in wfdb
    ):
        return "wfdb"
    if path.suffix.lower() in {".h5", ".hdf5"}:
        raise LayoutError(
            path,
            "an HDF5 file is not a recording by itself",
            "give the record_NNN folder it lies in, or use pacl.records.read_processed for "
            "processed windows",
        )
    if not path.exists():
        raise LayoutError(path, "no such file or folder", "check the path")
    return "text"

"""Windows that the paper's authors released already cut and scaled (2.1).

```
<hash>_test.h5
    segments      float32 (window, beat)   scaled, so ms and the beats between are lost
    labels        int32   (window,)        0 = SR, 1 = AF
    patient_ids   int32   (window,)        the number of the RECORD folder, not of the patient
```

A patient may have several records, so that splitting by `patient_ids` is not splitting by patient;
IRIDIA-AF's metadata name the patients. The scalers beside the files are pickles and never opened.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32, Int8, Int64
from pacl.records.content import digest, read_bytes
from pacl.records.errors import FormatError, LayoutError, RhythmError, ValueRangeError
from pacl.records.reader import read_patients
from pacl.records.rhythm import Rhythm
from pacl.records.table import MAX_TABLE_BYTES

MAX_FILE_BYTES = 2 * 1024**3
MAX_WINDOWS = 2**20
"""The authors' largest file has 57,000."""
MAX_SEGMENT_VALUES = 2**27
"""Beats of all windows together; half a GiB in memory."""

_RIGHT = "check that it is one of the authors' processed files"
_MAX_RECORD = 999_999


@dataclass(frozen=True, eq=False, slots=True)
class ProcessedWindows:
    """Windows as released: scaled beats, one rhythm each, and their patients.

    Parameters
    ----------
    scaled
        Scaled RR, unitless.
    rhythm
        `Rhythm.SR` or `Rhythm.AF` of each window.
    record_ids
        Record of each window, as IRIDIA-AF names it.
    patient_ids, patients_known
        Patient of each window if known from the metadata, else its record.
    digest, source
        SHA-256 over all that was read, and the file.
    """

    scaled: Float32[Array, "window beat"]
    rhythm: Int8[Array, "window"]
    record_ids: tuple[str, ...]
    patient_ids: tuple[str, ...]
    patients_known: bool
    digest: str
    source: str

    def __len__(self) -> int:
        return len(self.record_ids)

    def __repr__(self) -> str:
        who = "patients" if self.patients_known else "records, patients unknown"
        return (
            f"ProcessedWindows({len(self):,} windows of {self.scaled.shape[1]} beats, "
            f"{int(np.count_nonzero(self.rhythm == Rhythm.AF)):,} in AF, "
            f"{len(set(self.patient_ids))} {who})"
        )


def read_processed(path: Path | str, *, metadata: Path | str | None = None) -> ProcessedWindows:
    """Read one of the authors' `<hash>_{train,validation,test}.h5`.

    Without `metadata`, IRIDIA-AF's CSV, each record counts as a patient, and `patients_known` is
    false.

    Examples
    --------
    >>> windows = read_processed("processed.h5")
    >>> windows.scaled.shape, windows.patients_known
    ((24, 40), False)
    """
    from pacl.records.hdf5 import read_1d_int, read_2d_float

    path = Path(path)
    content = read_bytes(path, MAX_FILE_BYTES)
    labels = read_1d_int(path, "labels", content, MAX_WINDOWS)
    numbers = read_1d_int(path, "patient_ids", content, MAX_WINDOWS)
    scaled = read_2d_float(path, "segments", content, MAX_SEGMENT_VALUES)
    _check(path, scaled, labels, numbers)
    names = {int(number): f"record_{number:03d}" for number in np.unique(numbers)}
    record_ids = tuple(names[number] for number in numbers.tolist())
    patients = None if metadata is None else _patients(path, Path(metadata), set(names.values()))
    parts = [("windows", content)]
    if metadata is not None:
        parts.append(("metadata", read_bytes(Path(metadata), MAX_TABLE_BYTES)))
    return ProcessedWindows(
        scaled=scaled,
        rhythm=labels.astype(np.int8),
        record_ids=record_ids,
        patient_ids=tuple(patients[r] for r in record_ids) if patients else record_ids,
        patients_known=patients is not None,
        digest=digest(parts),
        source=str(path),
    )


def _check(
    path: Path,
    scaled: Float32[Array, "window beat"],
    labels: Int64[Array, "label"],
    numbers: Int64[Array, "number"],
) -> None:
    windows, beats = scaled.shape
    if not windows or not beats:
        raise FormatError(path, f"no windows, 'segments' has shape {scaled.shape}", _RIGHT)
    if not windows == labels.size == numbers.size:
        raise FormatError(
            path,
            f"{windows} segments, {labels.size} labels and {numbers.size} patient_ids, expected "
            "as many of each",
            _RIGHT,
        )
    if not np.isfinite(scaled).all():
        at = int(np.argmin(np.isfinite(scaled).all(axis=1)))
        raise ValueRangeError(
            path, f"window {at} holds values that are not finite", "leave the window out"
        )
    if wrong := sorted(set(np.unique(labels).tolist()) - {0, 1}):
        raise RhythmError(
            path, f"labels {wrong[:5]}, expected 0 (SR) and 1 (AF) only", "leave the windows out"
        )
    if numbers.min() < 0 or numbers.max() > _MAX_RECORD:
        raise FormatError(
            path,
            f"patient_ids from {numbers.min()} to {numbers.max()}, expected numbers of records",
            _RIGHT,
        )


def _patients(path: Path, metadata: Path, records: set[str]) -> dict[str, str]:
    patients = read_patients(metadata)
    if missing := sorted(records - patients.keys()):
        raise LayoutError(
            path,
            f"{len(missing)} record(s) not in {metadata.name}: {', '.join(missing[:5])}",
            "give the metadata of the same release of IRIDIA-AF",
        )
    return patients

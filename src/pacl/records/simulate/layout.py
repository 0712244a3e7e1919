"""One simulated record on disk: like IRIDIA-AF v1.0.1 with the truth beside it, or as text.

```
iridia-af-metadata-v1.0.1.csv
iridia-af-records-v1.0.1/record_000/record_000_rr_00.h5
                                    record_000_rr_labels.csv
                                    record_000_ecg_labels.csv
truth/README.md  patients.json  record_000.h5
```

As text a record is one file, with the true rhythm of each beat, and without its calibration signal:

```
patient,time,rr_ms,rhythm
patient_000,2012-03-04T10:15:30.010,812,SR
```
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.records.rhythm import Rhythm
from pacl.records.simulate.labels import (
    ECG_COLUMNS,
    RR_COLUMNS,
    Row,
    af_runs,
    csv_text,
    ecg_rows,
    metadata_row,
    rr_rows,
)
from pacl.records.simulate.patient import Patient
from pacl.records.simulate.physiology import Kind
from pacl.records.simulate.recording import SimulatedRecord
from pacl.records.simulate.truth import write_truth

METADATA = "iridia-af-metadata-v1.0.1.csv"
RECORDS = "iridia-af-records-v1.0.1"
TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A record's row of the metadata, and its size."""

    row: Row
    files: int
    episodes: int
    beats: int
    seconds: float
    af_seconds: float

    @classmethod
    def of(
        cls, patient: Patient, age: int, simulated: SimulatedRecord, *, files: int
    ) -> "WrittenRecord":
        """The same of any record."""
        record = simulated.record
        episodes = af_runs(record)
        return cls(
            row=metadata_row(patient, age, simulated),
            files=files,
            episodes=len(episodes),
            beats=len(record),
            seconds=record.duration_s,
            af_seconds=sum(int(record.rr_ms[low:high].sum()) for low, high in episodes) / 1000,
        )


def write_record(
    root: Path, patient: Patient, age: int, simulated: SimulatedRecord
) -> WrittenRecord:
    """Write RR files, labels and truth below `root`; the metadata are the caller's to write."""
    import h5py

    record, timeline = simulated.record, simulated.timeline
    folder = root / RECORDS / record.record_id
    folder.mkdir()
    for index, (start, stop) in enumerate(record.file_bounds()):
        with h5py.File(folder / f"{record.record_id}_rr_{index:02d}.h5", "w") as file:
            rr = record.rr_ms[start:stop].astype(np.int64)
            file.create_dataset("rr", data=rr, track_times=False)
    for name, columns, rows in (
        ("rr_labels", RR_COLUMNS, rr_rows(record)),
        ("ecg_labels", ECG_COLUMNS, ecg_rows(record, timeline.started)),
    ):
        path = folder / f"{record.record_id}_{name}.csv"
        path.write_text(csv_text(columns, rows), "utf-8", newline="\n")
    write_truth(root / TRUTH, simulated)
    return WrittenRecord.of(patient, age, simulated, files=record.file_starts.size)


def write_text_record(
    root: Path, patient: Patient, age: int, simulated: SimulatedRecord
) -> WrittenRecord:
    """Write the record as one file below `root`."""
    record = simulated.record
    # two beats at one moment are none in a text
    kept = (simulated.kind != Kind.CALIBRATION) & (record.rr_ms > 0)
    ends_ms = np.cumsum(record.rr_ms, dtype=np.float64)
    begins_ms = (ends_ms - record.rr_ms)[kept].astype("timedelta64[ms]")
    times = np.datetime_as_string(np.datetime64(simulated.timeline.started, "ms") + begins_ms)
    names = np.array([rhythm.name for rhythm in sorted(Rhythm)])[record.rhythm()[kept]]
    rows = zip(times.tolist(), record.rr_ms[kept].tolist(), names.tolist(), strict=True)
    lines = [f"{record.patient_id},{time},{rr_ms:g},{rhythm}\n" for time, rr_ms, rhythm in rows]
    path = root / f"{record.record_id}.csv"
    path.write_text("patient,time,rr_ms,rhythm\n" + "".join(lines), "utf-8", newline="\n")
    return WrittenRecord.of(patient, age, simulated, files=1)

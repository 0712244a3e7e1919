"""One simulated record on disk, laid out like IRIDIA-AF v1.0.1, with the truth beside it.

```
iridia-af-metadata-v1.0.1.csv
iridia-af-records-v1.0.1/record_000/record_000_rr_00.h5
                                    record_000_rr_labels.csv
                                    record_000_ecg_labels.csv
truth/README.md  patients.json  record_000.h5
```
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

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
    episodes = rr_rows(record)
    for name, columns, rows in (
        ("rr_labels", RR_COLUMNS, episodes),
        ("ecg_labels", ECG_COLUMNS, ecg_rows(record, timeline.started)),
    ):
        path = folder / f"{record.record_id}_{name}.csv"
        path.write_text(csv_text(columns, rows), "utf-8", newline="\n")
    write_truth(root / TRUTH, simulated)
    return WrittenRecord(
        row=metadata_row(patient, age, simulated),
        files=record.file_starts.size,
        episodes=len(episodes),
        beats=len(record),
        seconds=record.duration_s,
        af_seconds=sum(int(record.rr_ms[low:high].sum()) for low, high in af_runs(record)) / 1000,
    )

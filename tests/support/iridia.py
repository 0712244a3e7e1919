"""Write records in IRIDIA-AF's layout by hand, independently of the simulator."""

import csv
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np

METADATA = (
    "patient_id,patient_sex,patient_age,record_id,record_date,record_start_time,record_end_time,"
    "record_timedelta,record_files,record_seconds,record_samples"
)
LABELS = "start_file_index,start_rr_index,end_file_index,end_rr_index"


def write_record(
    root: Path, record_id: str, files: Sequence[np.ndarray], episodes: Sequence[Sequence[int]]
) -> Path:
    folder = root / record_id
    folder.mkdir(parents=True)
    for index, rr in enumerate(files):
        with h5py.File(folder / f"{record_id}_rr_{index:02d}.h5", "w") as file:
            file.create_dataset("rr", data=rr)
    lines = [LABELS, *(",".join(map(str, row)) for row in episodes)]
    (folder / f"{record_id}_rr_labels.csv").write_text("\n".join(lines) + "\n")
    return folder


def write_metadata(path: Path, rows: Sequence[tuple[str, str, int]]) -> None:
    """Rows of (record, patient, number of files)."""
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(METADATA.split(","))
        for record, patient, files in rows:
            start, end = "2012-10-02T10:50:11", "2012-10-03T10:50:02"
            out.writerow(
                [patient, "male", 70, record, start[:10], start, end, 86391, files, 86391, 17278200]
            )

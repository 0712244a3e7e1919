"""The truth beside a simulated cohort: what drew each patient, what each interval is."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pacl.records.simulate.labels import af_runs
from pacl.records.simulate.patient import Patient
from pacl.records.simulate.physiology import Kind
from pacl.records.simulate.recording import SimulatedRecord

_README = """# The truth about this simulated cohort

No recording here is a person's. `patients.json` holds the seed and, for each patient, the
records and every parameter the RR intervals were drawn with.

`record_NNN.h5`:

| dataset | what |
|---|---|
| `kind` | uint8, one per RR interval, over all files of the record in order |
| `af` | int64, a row an AF episode: first beat and one past the last, over all files |

`file_starts` (attribute of `kind`) is the first beat of each file. The labels beside the RR files
say the same as `af`, except that an episode which lasts to the end of the record ends one beat
short there, as in IRIDIA-AF.

| kind | name |
|---|---|
"""


def write_truth(folder: Path, simulated: SimulatedRecord) -> None:
    """Write one record's kinds and episodes."""
    import h5py

    record = simulated.record
    with h5py.File(folder / f"{record.record_id}.h5", "w") as file:
        kind = file.create_dataset("kind", data=simulated.kind, track_times=False)
        kind.attrs["file_starts"] = record.file_starts
        af = np.array(af_runs(record), dtype=np.int64).reshape(-1, 2)
        file.create_dataset("af", data=af, track_times=False)


def write_patients(folder: Path, patients: Sequence[Patient], seed: int) -> None:
    """Write the patients, and a README for the files beside them."""
    rows = [
        {
            "patient_id": patient.patient_id,
            "sex": patient.sex,
            "age": patient.age,
            "records": [patient.record_id(nth) for nth in range(patient.records)],
            **asdict(patient.physiology),
        }
        for patient in patients
    ]
    text = json.dumps({"seed": seed, "patients": rows}, indent=1)
    (folder / "patients.json").write_text(text + "\n", encoding="utf-8")
    kinds = "".join(f"| {kind.value} | {kind.name} |\n" for kind in Kind)
    (folder / "README.md").write_text(_README + kinds, encoding="utf-8")

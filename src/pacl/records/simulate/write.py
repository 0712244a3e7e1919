"""Simulated cohorts on disk, written atomically."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal

from pacl.atomic_write import atomic_folder
from pacl.records.errors import ValueRangeError
from pacl.records.simulate.labels import METADATA_COLUMNS, csv_text
from pacl.records.simulate.layout import (
    METADATA,
    RECORDS,
    TRUTH,
    WrittenRecord,
    write_record,
    write_text_record,
)
from pacl.records.simulate.patient import Patient, draw_patients, simulate_patient
from pacl.records.simulate.population import Population
from pacl.records.simulate.recording import SimulatedRecord
from pacl.records.simulate.truth import write_patients
from pacl.threads import Threads

Layout = Literal["iridia", "text"]
Write = Callable[[Path, Patient, int, SimulatedRecord], WrittenRecord]


@dataclass(frozen=True, slots=True)
class CohortSummary:
    """What was written: counts, hours of recording and of AF, and the seconds it took."""

    directory: Path
    patients: int
    records: int
    files: int
    episodes: int
    beats: int
    hours: float
    af_hours: float
    seconds: float


def write_cohort(
    directory: Path | str,
    patients: int = 32,
    seed: int = 0,
    *,
    layout: Layout = "iridia",
    threads: int = 1,
    track: Callable[[int, int], None] | None = None,
    population: Population | None = None,
) -> CohortSummary:
    """Simulate patients and write them atomically to a new or empty folder.

    As text, a record is one file with patient, interval and rhythm of each beat. The same seed
    gives the same bytes, with any number of threads: the patients simulated at once. `track` is
    called with the patients done and their total, after each patient.
    """
    began = perf_counter()
    target = Path(directory)
    population = population or Population()
    if threads < 1:
        raise ValueRangeError("cohort", f"{threads} threads asked for", "use at least one thread")
    drawn = draw_patients(patients, seed, population)
    with atomic_folder(target) as folder:
        if layout == "iridia":
            (folder / TRUTH).mkdir(parents=True)
            (folder / RECORDS).mkdir()
        written: list[WrittenRecord] = []
        write = write_record if layout == "iridia" else write_text_record
        with Threads(threads) as pool:
            done = pool.map(
                lambda patient: _write_patient(folder, patient, population, write), drawn
            )
            for count, records in enumerate(done, start=1):
                written += records
                if track is not None:
                    track(count, patients)
        if layout == "iridia":
            rows = [record.row for record in written]
            (folder / METADATA).write_text(csv_text(METADATA_COLUMNS, rows), "utf-8", newline="\n")
            write_patients(folder / TRUTH, drawn, seed)
    return CohortSummary(
        directory=target,
        patients=patients,
        records=len(written),
        files=sum(record.files for record in written),
        episodes=sum(record.episodes for record in written),
        beats=sum(record.beats for record in written),
        hours=sum(record.seconds for record in written) / 3600,
        af_hours=sum(record.af_seconds for record in written) / 3600,
        seconds=perf_counter() - began,
    )


def _write_patient(
    root: Path, patient: Patient, population: Population, write: Write
) -> list[WrittenRecord]:
    written: list[WrittenRecord] = []
    first_year = None
    for simulated in simulate_patient(patient, population):
        year = simulated.timeline.started.year
        first_year = year if first_year is None else first_year
        written.append(write(root, patient, patient.age + year - first_year, simulated))
    return written

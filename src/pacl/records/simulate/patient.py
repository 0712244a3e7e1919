"""Simulated patients: each from its own seed, independent of the other patients."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from pacl.records.errors import ValueRangeError
from pacl.records.simulate.physiology import Physiology
from pacl.records.simulate.population import Population
from pacl.records.simulate.recording import SimulatedRecord, simulate_record
from pacl.records.simulate.timeline import draw_timeline


@dataclass(frozen=True, slots=True)
class Patient:
    """One simulated patient.

    Parameters
    ----------
    number, seed
        Position in the cohort, and its seed: together they determine the patient.
    sex, age
        `male` or `female`, and years at the first recording.
    records, first_record
        Number of the patient's recordings, and of the first of them in the cohort.
    """

    number: int
    seed: int
    sex: str
    age: int
    records: int
    first_record: int
    physiology: Physiology

    @property
    def patient_id(self) -> str:
        """`patient_000` and so on."""
        return f"patient_{self.number:03d}"

    def record_id(self, nth: int) -> str:
        """`record_000` and so on: the patient's `nth` recording."""
        return f"record_{self.first_record + nth:03d}"


def draw_patients(patients: int, seed: int, population: Population) -> tuple[Patient, ...]:
    """Draw a cohort without its recordings; the first of 80 patients are those of 8."""
    if patients < 1:
        raise ValueRangeError(
            "cohort", f"{patients} patients asked for", "simulate at least one patient"
        )
    drawn: list[Patient] = []
    first_record = 0
    for number in range(patients):
        generator = stream(seed, number, 0)
        physiology = population.draw(generator)
        counts = np.array(population.records)
        patient = Patient(
            number=number,
            seed=seed,
            sex="male" if generator.random() < 81 / 152 else "female",
            age=int(np.clip(round(generator.normal(73, 11)), 41, 99)),
            records=1 + int(generator.choice(counts.size, p=counts / counts.sum())),
            first_record=first_record,
            physiology=physiology,
        )
        first_record += patient.records
        drawn.append(patient)
    return tuple(drawn)


def simulate_patient(patient: Patient, population: Population) -> Iterator[SimulatedRecord]:
    """Simulate all recordings of one patient, the later ones months or years after the first."""
    started = None
    for nth in range(patient.records):
        generator = stream(patient.seed, patient.number, 1 + nth)
        timeline = draw_timeline(population, generator)
        later = timedelta(days=int(generator.integers(30, 400)))
        if started is not None:
            day = (started + later).date()
            timeline = replace(
                timeline, started=timeline.started.replace(day.year, day.month, day.day)
            )
        started = timeline.started
        yield simulate_record(
            patient.physiology,
            timeline,
            generator,
            patient_id=patient.patient_id,
            record_id=patient.record_id(nth),
        )


def stream(seed: int, patient: int, part: int) -> np.random.Generator:
    """The randomness of one part of one patient, independent of all others."""
    return np.random.Generator(
        np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(patient, part)))
    )


def simulate_cohort(
    patients: int = 32, seed: int = 0, population: Population | None = None
) -> Iterator[SimulatedRecord]:
    """Simulate patients one record at a time; same seed, same records.

    Examples
    --------
    >>> records = [made.record for made in simulate_cohort(patients=2, seed=1)]
    >>> sorted({record.patient_id for record in records})
    ['patient_000', 'patient_001']
    """
    population = population or Population()
    for patient in draw_patients(patients, seed, population):
        yield from simulate_patient(patient, population)

"""Simulated cohorts in memory."""

from collections.abc import Iterator

from pacl.records.simulate.patient import draw_patients, simulate_patient
from pacl.records.simulate.population import Population
from pacl.records.simulate.recording import SimulatedRecord


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

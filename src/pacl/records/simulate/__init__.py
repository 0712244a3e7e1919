"""Simulated patients, recorded in IRIDIA-AF's layout with the truth beside them."""

from pacl.records.simulate.patient import Patient, draw_patients, simulate_cohort, simulate_patient
from pacl.records.simulate.physiology import (
    Ectopy,
    Fibrillation,
    Kind,
    Physiology,
    QrsDetector,
    Sinus,
)
from pacl.records.simulate.population import Population
from pacl.records.simulate.recording import SimulatedRecord, simulate_record
from pacl.records.simulate.timeline import Run, Timeline, draw_timeline
from pacl.records.simulate.write import CohortSummary, write_cohort

__all__ = [
    "CohortSummary",
    "Ectopy",
    "Fibrillation",
    "Kind",
    "Patient",
    "Physiology",
    "Population",
    "QrsDetector",
    "Run",
    "SimulatedRecord",
    "Sinus",
    "Timeline",
    "draw_patients",
    "draw_timeline",
    "simulate_cohort",
    "simulate_patient",
    "simulate_record",
    "write_cohort",
]

"""Simulated patients, recorded in IRIDIA-AF's layout with the truth beside them."""

from pacl.records.simulate.cohort import simulate_cohort
from pacl.records.simulate.kind import Kind
from pacl.records.simulate.patient import Patient, draw_patients, simulate_patient
from pacl.records.simulate.physiology import Detector, Ectopy, Fibrillation, Physiology, Sinus
from pacl.records.simulate.population import Population
from pacl.records.simulate.recording import SimulatedRecord, simulate_record
from pacl.records.simulate.timeline import Run, Timeline, draw_timeline
from pacl.records.simulate.write import CohortSummary, write_cohort

__all__ = [
    "CohortSummary",
    "Detector",
    "Ectopy",
    "Fibrillation",
    "Kind",
    "Patient",
    "Physiology",
    "Population",
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

"""Whole studies: one run, and many."""

from pacl.studies.errors import RunError
from pacl.studies.fleet import train_fleet
from pacl.studies.folder import RunFolder
from pacl.studies.plan import EncoderPlan, ObjectivePlan, Plan, SamplerPlan, TrainPlan
from pacl.studies.run import train_run

__all__ = [
    "EncoderPlan",
    "ObjectivePlan",
    "Plan",
    "RunError",
    "RunFolder",
    "SamplerPlan",
    "TrainPlan",
    "train_fleet",
    "train_run",
]

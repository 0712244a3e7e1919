"""Studies: one run, many runs, and the study of the paper."""

from pacl.studies.errors import RunError
from pacl.studies.fleet import train_fleet
from pacl.studies.folder import RunFolder
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.paper_study import Study
from pacl.studies.plan import EncoderPlan, ObjectivePlan, Plan, SamplerPlan, TrainPlan
from pacl.studies.progress import StudyReport
from pacl.studies.reproduce import run_study
from pacl.studies.run import train_run

__all__ = [
    "EncoderPlan",
    "ObjectivePlan",
    "Outcome",
    "Outcomes",
    "Plan",
    "RunError",
    "RunFolder",
    "SamplerPlan",
    "Study",
    "StudyReport",
    "TrainPlan",
    "run_study",
    "train_fleet",
    "train_run",
]

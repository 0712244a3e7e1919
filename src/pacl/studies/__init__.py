"""Studies: one run, many runs, and the study of the paper."""

from pacl.settings import (
    BranchesSettings,
    ObjectiveSettings,
    Plan,
    SamplerSettings,
    TrainSettings,
)
from pacl.studies.compare import Column, Comparison, RunScore, compare_runs, score_of
from pacl.studies.errors import RunError
from pacl.studies.external_evaluation import check_length, evaluate_external, open_other
from pacl.studies.fleet import train_fleet
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.inputs import StudyData, cohort_name, is_window_set
from pacl.studies.metric import (
    AF_COHESION,
    AUROC,
    LAST_OF_DETECTION,
    METRICS,
    PATIENT_AUROC,
    SR_COHESION,
    Metric,
    metrics_of,
    value_of,
)
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.paper_study import Study
from pacl.studies.patient_statistics import (
    auroc_spread,
    auroc_variance,
    interval_of,
    loss_interval,
    lowest_patients,
)
from pacl.studies.progress import StudyReport
from pacl.studies.provenance import check_scaling, open_rr_windows, open_windows
from pacl.studies.released import import_released
from pacl.studies.reproduce import Preparation, reproduce_paper, run_study
from pacl.studies.run import train_run

__all__ = [
    "AF_COHESION",
    "AUROC",
    "LAST_OF_DETECTION",
    "METRICS",
    "PATIENT_AUROC",
    "SR_COHESION",
    "BranchesSettings",
    "Column",
    "Comparison",
    "Metric",
    "ObjectiveSettings",
    "Outcome",
    "Outcomes",
    "Plan",
    "Preparation",
    "RunError",
    "RunFolder",
    "RunScore",
    "SamplerSettings",
    "Study",
    "StudyData",
    "StudyReport",
    "TrainSettings",
    "auroc_spread",
    "auroc_variance",
    "check_length",
    "check_name",
    "check_scaling",
    "cohort_name",
    "compare_runs",
    "evaluate_external",
    "import_released",
    "interval_of",
    "is_window_set",
    "loss_interval",
    "lowest_patients",
    "metrics_of",
    "open_other",
    "open_rr_windows",
    "open_windows",
    "reproduce_paper",
    "run_study",
    "score_of",
    "train_fleet",
    "train_run",
    "value_of",
]

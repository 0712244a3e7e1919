"""What embeddings are worth: the probe, its metrics, and the geometry of the sphere."""

from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.calibration import Calibration, Platt, fit_platt
from pacl.evaluation.coverage import COVERAGE, coverage_of
from pacl.evaluation.embed import EmbeddingSet, embed, embed_tensors
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.geometry import Geometry, measure_geometry
from pacl.evaluation.interval import (
    FEW,
    FEWEST_SUBJECTS,
    TRUSTED,
    Interval,
    NoIntervalError,
    Statistic,
    weighted_mean,
)
from pacl.evaluation.intervals import LEVEL, auroc_interval, interval_over_subjects, mean_interval
from pacl.evaluation.metrics import Detection, measure_auroc, measure_detection, roc_at
from pacl.evaluation.paired import SubjectComparison, compare_auroc, compare_subjects
from pacl.evaluation.predictions import Evaluation, Predictions, read_evaluation
from pacl.evaluation.probe import Probe, ProbeScore, fit_probe
from pacl.evaluation.ranks import (
    LEAST_SUBJECTS,
    LEAST_SYSTEMS,
    SIGNIFICANCE,
    Ranks,
    RankTest,
    holm,
    rank_correlation,
    rank_systems,
    rank_test,
)
from pacl.evaluation.seed_comparison import SeedComparison, SignFlip, compare_seeds, sign_flip
from pacl.evaluation.seed_spread import (
    SpreadRatio,
    VarianceSplit,
    split_variance,
    spread_ratio,
    spread_ratio_of,
)
from pacl.evaluation.stacked_probe import StackedProbeScore
from pacl.evaluation.subject_sums import SUM_SCORES, SumScore, compare_sums, sum_interval
from pacl.evaluation.uniformity import SphereSpread, measure_spread
from pacl.evaluation.worst_subjects import WorstSubject, worst_subjects

__all__ = [
    "COVERAGE",
    "FEW",
    "FEWEST_SUBJECTS",
    "LEAST_SUBJECTS",
    "LEAST_SYSTEMS",
    "LEVEL",
    "SIGNIFICANCE",
    "SUM_SCORES",
    "TRUSTED",
    "AurocPairs",
    "Calibration",
    "Detection",
    "EmbeddingSet",
    "Evaluation",
    "EvaluationError",
    "Geometry",
    "Interval",
    "NoIntervalError",
    "Platt",
    "Predictions",
    "Probe",
    "ProbeScore",
    "RankTest",
    "Ranks",
    "SeedComparison",
    "SignFlip",
    "SphereSpread",
    "SpreadRatio",
    "StackedProbeScore",
    "Statistic",
    "SubjectComparison",
    "SumScore",
    "VarianceSplit",
    "WorstSubject",
    "auroc_interval",
    "compare_auroc",
    "compare_seeds",
    "compare_subjects",
    "compare_sums",
    "count_pairs",
    "coverage_of",
    "embed",
    "embed_tensors",
    "fit_platt",
    "fit_probe",
    "holm",
    "interval_over_subjects",
    "mean_interval",
    "measure_auroc",
    "measure_detection",
    "measure_geometry",
    "measure_spread",
    "rank_correlation",
    "rank_systems",
    "rank_test",
    "read_evaluation",
    "roc_at",
    "sign_flip",
    "split_variance",
    "spread_ratio",
    "spread_ratio_of",
    "sum_interval",
    "weighted_mean",
    "worst_subjects",
]

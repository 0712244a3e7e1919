"""What embeddings are worth: the probe, its metrics, and the geometry of the sphere."""

from pacl.evaluation.auroc import class_aurocs, measure_auroc, roc_at
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.calibration import Calibration, ReliabilityBin
from pacl.evaluation.class_pairs import MacroPairs, count_class_pairs
from pacl.evaluation.confusion import ClassScores, score_confusion
from pacl.evaluation.coverage import COVERAGE, coverage_of
from pacl.evaluation.embed import EmbeddingSet, embed, embed_tensors
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.geometry import Geometry, PairGeometry, measure_geometry
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
from pacl.evaluation.measured import Evaluation, read_evaluation
from pacl.evaluation.metrics import Detection, measure_detection, predicted_classes
from pacl.evaluation.paired import SubjectComparison, compare_auroc, compare_subjects
from pacl.evaluation.platt import Platt, fit_platt
from pacl.evaluation.predictions import Predictions
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
from pacl.evaluation.subject_sums import SumScore, compare_sums, sum_interval, sum_score
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
    "TRUSTED",
    "AurocPairs",
    "Calibration",
    "ClassScores",
    "Detection",
    "EmbeddingSet",
    "Evaluation",
    "EvaluationError",
    "Geometry",
    "Interval",
    "MacroPairs",
    "NoIntervalError",
    "PairGeometry",
    "Platt",
    "Predictions",
    "Probe",
    "ProbeScore",
    "RankTest",
    "Ranks",
    "ReliabilityBin",
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
    "class_aurocs",
    "compare_auroc",
    "compare_seeds",
    "compare_subjects",
    "compare_sums",
    "count_class_pairs",
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
    "predicted_classes",
    "rank_correlation",
    "rank_systems",
    "rank_test",
    "read_evaluation",
    "roc_at",
    "score_confusion",
    "sign_flip",
    "split_variance",
    "spread_ratio",
    "spread_ratio_of",
    "sum_interval",
    "sum_score",
    "weighted_mean",
    "worst_subjects",
]

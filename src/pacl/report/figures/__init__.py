"""The figures of a study: each computed as plain data, then drawn, in one look."""

from pacl.report.figures.calibration import (
    ReliabilityPicture,
    compute_reliability,
    draw_reliability,
)
from pacl.report.figures.comparison import (
    PAPER_METRICS,
    MetricComparison,
    compute_comparison,
    draw_comparison,
    metric_values,
)
from pacl.report.figures.curves import TrainingCurves, compute_curves, draw_curves
from pacl.report.figures.encoder import Architecture, compute_architecture, draw_architecture
from pacl.report.figures.losses import (
    LOSS_COLOURS,
    LOSS_MARKERS,
    Look,
    loss_looks,
)
from pacl.report.figures.pairs import PairPicture, compute_pairs, draw_pairs
from pacl.report.figures.patients import PatientPicture, compute_patients, draw_patients
from pacl.report.figures.roc import RocPicture, compute_roc, draw_roc
from pacl.report.figures.saved import save_published
from pacl.report.figures.seeds import SeedPicture, SeedScore, compute_seeds, draw_seeds
from pacl.report.figures.sphere import SpherePicture, compute_spheres
from pacl.report.figures.sphere_drawing import draw_spheres
from pacl.report.figures.timeline import Timeline, compute_timeline
from pacl.report.figures.timeline_drawing import draw_timeline

__all__ = [
    "LOSS_COLOURS",
    "LOSS_MARKERS",
    "PAPER_METRICS",
    "Architecture",
    "Look",
    "MetricComparison",
    "PairPicture",
    "PatientPicture",
    "ReliabilityPicture",
    "RocPicture",
    "SeedPicture",
    "SeedScore",
    "SpherePicture",
    "Timeline",
    "TrainingCurves",
    "compute_architecture",
    "compute_comparison",
    "compute_curves",
    "compute_pairs",
    "compute_patients",
    "compute_reliability",
    "compute_roc",
    "compute_seeds",
    "compute_spheres",
    "compute_timeline",
    "draw_architecture",
    "draw_comparison",
    "draw_curves",
    "draw_pairs",
    "draw_patients",
    "draw_reliability",
    "draw_roc",
    "draw_seeds",
    "draw_spheres",
    "draw_timeline",
    "loss_looks",
    "metric_values",
    "save_published",
]

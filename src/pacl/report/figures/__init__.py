"""The figures of a study: each computed as plain data, then drawn, in one style.

`study_figures` finds all modules that state a `FIGURE`: a new figure needs no entry here.
"""

from pacl.report.figures.calibration import compute_reliability, draw_reliability
from pacl.report.figures.comparison import compute_comparison, draw_comparison, metric_values
from pacl.report.figures.curves import compute_curves, draw_curves
from pacl.report.figures.encoder import compute_architecture, draw_architecture
from pacl.report.figures.losses import loss_looks
from pacl.report.figures.pairs import compute_pairs, draw_pairs
from pacl.report.figures.patients import compute_patients, draw_patients
from pacl.report.figures.roc import compute_roc, draw_roc
from pacl.report.figures.seeds import SeedScore, compute_seeds, draw_seeds
from pacl.report.figures.sphere import compute_spheres
from pacl.report.figures.sphere_drawing import draw_spheres
from pacl.report.figures.study_figure import Section, StudyData, StudyFigure, study_figures
from pacl.report.figures.timeline import compute_timeline
from pacl.report.figures.timeline_drawing import draw_timeline

__all__ = [
    "Section",
    "SeedScore",
    "StudyData",
    "StudyFigure",
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
    "study_figures",
]

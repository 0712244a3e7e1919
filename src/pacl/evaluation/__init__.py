"""What embeddings are worth: the probe, its metrics, and the geometry of the sphere."""

from pacl.evaluation.embed import EmbeddingSet, embed
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.evaluated import Evaluated, Evaluation, read_evaluation
from pacl.evaluation.geometry import Geometry, measure_geometry
from pacl.evaluation.metrics import Detection, measure_auroc, measure_detection
from pacl.evaluation.probe import Probe, fit_probe
from pacl.evaluation.score import ProbeScore
from pacl.evaluation.uniformity import SphereSpread, measure_spread

__all__ = [
    "Detection",
    "EmbeddingSet",
    "Evaluated",
    "Evaluation",
    "EvaluationError",
    "Geometry",
    "Probe",
    "ProbeScore",
    "SphereSpread",
    "embed",
    "fit_probe",
    "measure_auroc",
    "measure_detection",
    "measure_geometry",
    "measure_spread",
    "read_evaluation",
]

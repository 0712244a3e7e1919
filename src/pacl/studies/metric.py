"""What is shown of an evaluation: its numbers, by name and by dotted key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pacl.evaluation import EvaluationError


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of an evaluation, and which way is better: 1 up, -1 down, 0 neither."""

    name: str
    key: str
    better: int = 1


METRICS = (
    Metric("AUROC", "detection.auroc"),
    Metric("AUROC, mean over patients", "detection.auroc_patient_mean"),
    Metric("AUROC, worst tenth of patients", "detection.auroc_worst_tenth"),
    Metric("AF precision", "detection.af.precision"),
    Metric("AF recall (sensitivity)", "detection.af.recall"),
    Metric("AF F1", "detection.af.f1"),
    Metric("SR precision", "detection.sr.precision"),
    Metric("SR recall (specificity)", "detection.sr.recall"),
    Metric("SR F1", "detection.sr.f1"),
    Metric("Accuracy", "detection.accuracy"),
    Metric("Brier score", "detection.calibration.brier", -1),
    Metric("Calibration error", "detection.calibration.expected_error", -1),
    Metric("SR cohesion", "pooled.sr.cohesion"),
    Metric("AF cohesion", "pooled.af.cohesion"),
    Metric("SR cohesion, global", "pooled.sr.global_cohesion", 0),
    Metric("AF cohesion, global", "pooled.af.global_cohesion", 0),
    Metric("Centroid similarity", "pooled.centroid_similarity", -1),
    Metric("Centroid distance", "pooled.centroid_distance"),
    Metric("Compactness, global", "pooled.compactness"),
    Metric("Compactness per patient", "pooled.patient_compactness"),
    Metric("SR patients' spread ratio", "pooled_spread.sr.spread_ratio", 0),
    Metric("AF patients' spread ratio", "pooled_spread.af.spread_ratio", 0),
)
"""What is shown of an evaluation, in this order; geometry is that of pooled embeddings."""


def value_of(measured: Mapping[str, Any], key: str) -> float | None:
    """A number of an evaluation, by its dotted key."""
    value: Any = measured
    try:
        for part in key.split("."):
            value = value[part]
        return None if value is None else float(value)
    except (KeyError, TypeError, ValueError) as error:
        raise EvaluationError(f"evaluation.json lacks {key}; evaluate the run again") from error

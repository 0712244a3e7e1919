"""Metrics of an evaluation: which way is better, and how each one depends on patients."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pacl.evaluation import Evaluation, EvaluationError, SumScore, sum_score
from pacl.records import Rhythm

COHESION = (-1.0, 1.0)
SHARE = (0.0, 1.0)
SHARES = (
    "detection.auroc",
    "detection.auroc_subject_mean",
    "detection.balanced_accuracy_subject_mean",
)

PER_PATIENT = {
    "detection.auroc_subject_mean": ("detection", "auroc"),
    "detection.balanced_accuracy_subject_mean": ("detection", "balanced_accuracy"),
    "pooled.subject_compactness": ("pooled", "compactness"),
}
"""Metrics that are means over patients: section and key of the value of each patient."""
PER_PATIENT_AND_CLASS = {"cohesion": "cohesion", "subject_spread": "spread"}
"""The same of a class, in `pooled.classes.NUMBER`."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of an evaluation, by its dotted key.

    Parameters
    ----------
    name
        For tables and sentences.
    key
        In `evaluation.json`.
    better
        1 if higher is better, -1 if lower is, 0 for neither.
    """

    name: str
    key: str
    better: int = 1

    @property
    def geometry(self) -> bool:
        """Whether it is of the embeddings; then runs that collapsed to a point are left out."""
        return not self.key.startswith("detection.")

    @property
    def patient(self) -> tuple[str, str] | None:
        """Section and key of the value of each patient, where it is their mean."""
        of_class = re.fullmatch(r"pooled\.classes\.(\d+)\.(\w+)", self.key)
        if of_class and of_class[2] in PER_PATIENT_AND_CLASS:
            return "pooled", f"{PER_PATIENT_AND_CLASS[of_class[2]]}.{of_class[1]}"
        return PER_PATIENT.get(self.key)

    @property
    def sums(self) -> SumScore | None:
        """How it follows from sums over patients' windows, where it does."""
        return sum_score(self.key)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Least and greatest possible value, where there are such."""
        if self.key.endswith(".cohesion"):
            return COHESION
        return SHARE if self.sums or self.key in SHARES else None

    @property
    def over_patients(self) -> bool:
        """Whether it has an interval over patients; if not, it belongs to all of them together."""
        return self.key == AUROC.key or self.patient is not None or self.sums is not None


LAST_OF_DETECTION = "detection.calibration.expected_error"
"""After it, the geometry begins."""
AUROC = Metric("AUROC", "detection.auroc")
PATIENT_AUROC = Metric("AUROC, mean over patients", "detection.auroc_subject_mean")
SENSITIVITY = Metric("AF recall (sensitivity)", "detection.classes.1.recall")
SR_COHESION = Metric("SR cohesion", "pooled.classes.0.cohesion")
AF_COHESION = Metric("AF cohesion", "pooled.classes.1.cohesion")
COMPACTNESS = Metric("Compactness per patient", "pooled.subject_compactness")
CENTROID_DISTANCE = Metric("Centroid distance", "pooled.centroid_distance")
CENTROID_SIMILARITY = Metric("Centroid similarity", "pooled.centroid_similarity", -1)
GLOBAL_COMPACTNESS = Metric("Compactness, global", "pooled.compactness")
SR_SPREAD_RATIO = Metric("SR patients' spread ratio", "pooled_spread.classes.0.spread_ratio", 0)
SR_SPREAD = Metric("SR spread within a patient", "pooled.classes.0.subject_spread", 0)
AF_SPREAD = Metric("AF spread within a patient", "pooled.classes.1.subject_spread", 0)
SR_CENTROID_COSINE = Metric(
    "Cosine between patients' SR centroids", "pooled_spread.classes.0.centroid_cosine", 0
)

METRICS = (
    AUROC,
    PATIENT_AUROC,
    Metric("AUROC, worst tenth of patients", "detection.auroc_worst_tenth"),
    Metric("AF precision", "detection.classes.1.precision"),
    SENSITIVITY,
    Metric("AF F1", "detection.classes.1.f1"),
    Metric("SR precision", "detection.classes.0.precision"),
    Metric("SR recall (specificity)", "detection.classes.0.recall"),
    Metric("SR F1", "detection.classes.0.f1"),
    Metric("Accuracy", "detection.accuracy"),
    Metric("Brier score", "detection.calibration.brier", -1),
    Metric("Calibration error", LAST_OF_DETECTION, -1),
    SR_COHESION,
    AF_COHESION,
    Metric("SR cohesion, global", "pooled.classes.0.global_cohesion", 0),
    Metric("AF cohesion, global", "pooled.classes.1.global_cohesion", 0),
    CENTROID_SIMILARITY,
    CENTROID_DISTANCE,
    GLOBAL_COMPACTNESS,
    COMPACTNESS,
    SR_SPREAD_RATIO,
    Metric("AF patients' spread ratio", "pooled_spread.classes.1.spread_ratio", 0),
)
"""What is shown of an evaluation of AF, in this order; geometry is that of pooled embeddings."""


def metrics_of(class_names: Sequence[str]) -> tuple[Metric, ...]:
    """What is shown of an evaluation of these classes, in this order."""
    if tuple(class_names) == (Rhythm.SR.name, Rhythm.AF.name):
        return METRICS
    classes = list(enumerate(class_names))
    return (
        AUROC,
        Metric("AUROC, mean over subjects", PATIENT_AUROC.key),
        Metric("AUROC, worst tenth of subjects", "detection.auroc_worst_tenth"),
        Metric("Accuracy", "detection.accuracy"),
        Metric("Balanced accuracy", "detection.balanced_accuracy"),
        Metric("Balanced accuracy, mean over subjects", "detection.balanced_accuracy_subject_mean"),
        Metric("F1, mean over classes", "detection.macro_f1"),
        *(
            Metric(f"{name} {score}", f"detection.classes.{at}.{score.lower()}")
            for at, name in classes
            for score in ("precision", "recall", "F1")
        ),
        Metric("Brier score", "detection.calibration.brier", -1),
        Metric("Calibration error", LAST_OF_DETECTION, -1),
        *(Metric(f"{name} cohesion", f"pooled.classes.{at}.cohesion") for at, name in classes),
        CENTROID_SIMILARITY,
        CENTROID_DISTANCE,
        GLOBAL_COMPACTNESS,
        Metric("Compactness per subject", COMPACTNESS.key),
        *(
            Metric(f"{name} spread ratio", f"pooled_spread.classes.{at}.spread_ratio", 0)
            for at, name in classes
        ),
    )


def value_of(measured: Evaluation, key: str) -> float | None:
    """A number of an evaluation, by its dotted key; classes are counted from 0."""
    try:
        return number_at(measured, key)
    except (AttributeError, LookupError, TypeError) as error:
        raise EvaluationError(f"evaluation.json lacks {key}; evaluate the run again") from error


def number_at(stated: Any, key: str) -> float | None:
    """A number within dataclasses and tuples, by its dotted key."""
    for part in key.split("."):
        stated = stated[int(part)] if part.isdigit() else getattr(stated, part)
    return None if stated is None else float(stated)

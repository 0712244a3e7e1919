"""Metrics of an evaluation: which way is better, and how each one depends on patients."""

from dataclasses import dataclass
from operator import attrgetter

from pacl.evaluation import SUM_SCORES, Evaluation, EvaluationError, SumScore

COHESION = (-1.0, 1.0)
SHARE = (0.0, 1.0)

PER_PATIENT = {
    "detection.auroc_subject_mean": ("detection", "auroc"),
    "pooled.sr.cohesion": ("pooled", "sr_cohesion"),
    "pooled.af.cohesion": ("pooled", "af_cohesion"),
    "pooled.subject_compactness": ("pooled", "compactness"),
    "pooled.sr.subject_spread": ("pooled", "sr_spread"),
    "pooled.af.subject_spread": ("pooled", "af_spread"),
}
"""Metrics that are means over patients: section and key of the value of each patient."""


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
        return PER_PATIENT.get(self.key)

    @property
    def sums(self) -> SumScore | None:
        """How it follows from sums over patients' windows, where it does."""
        return SUM_SCORES.get(self.key)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Least and greatest possible value, where there are such."""
        if self.key.endswith(".cohesion"):
            return COHESION
        return SHARE if self.sums or self in (AUROC, PATIENT_AUROC) else None

    @property
    def over_patients(self) -> bool:
        """Whether it has an interval over patients; if not, it belongs to all of them together."""
        return self == AUROC or self.patient is not None or self.sums is not None


AUROC = Metric("AUROC", "detection.auroc")
PATIENT_AUROC = Metric("AUROC, mean over patients", "detection.auroc_subject_mean")
SENSITIVITY = Metric("AF recall (sensitivity)", "detection.af.recall")
SR_COHESION = Metric("SR cohesion", "pooled.sr.cohesion")
AF_COHESION = Metric("AF cohesion", "pooled.af.cohesion")
COMPACTNESS = Metric("Compactness per patient", "pooled.subject_compactness")
CENTROID_DISTANCE = Metric("Centroid distance", "pooled.centroid_distance")
CENTROID_SIMILARITY = Metric("Centroid similarity", "pooled.centroid_similarity", -1)
GLOBAL_COMPACTNESS = Metric("Compactness, global", "pooled.compactness")
SR_SPREAD_RATIO = Metric("SR patients' spread ratio", "pooled_spread.sr.spread_ratio", 0)
SR_SPREAD = Metric("SR spread within a patient", "pooled.sr.subject_spread", 0)
AF_SPREAD = Metric("AF spread within a patient", "pooled.af.subject_spread", 0)
SR_CENTROID_COSINE = Metric(
    "Cosine between patients' SR centroids", "pooled_spread.sr.centroid_cosine", 0
)

METRICS = (
    AUROC,
    PATIENT_AUROC,
    Metric("AUROC, worst tenth of patients", "detection.auroc_worst_tenth"),
    Metric("AF precision", "detection.af.precision"),
    SENSITIVITY,
    Metric("AF F1", "detection.af.f1"),
    Metric("SR precision", "detection.sr.precision"),
    Metric("SR recall (specificity)", "detection.sr.recall"),
    Metric("SR F1", "detection.sr.f1"),
    Metric("Accuracy", "detection.accuracy"),
    Metric("Brier score", "detection.calibration.brier", -1),
    Metric("Calibration error", "detection.calibration.expected_error", -1),
    SR_COHESION,
    AF_COHESION,
    Metric("SR cohesion, global", "pooled.sr.global_cohesion", 0),
    Metric("AF cohesion, global", "pooled.af.global_cohesion", 0),
    CENTROID_SIMILARITY,
    CENTROID_DISTANCE,
    GLOBAL_COMPACTNESS,
    COMPACTNESS,
    SR_SPREAD_RATIO,
    Metric("AF patients' spread ratio", "pooled_spread.af.spread_ratio", 0),
)
"""What is shown of an evaluation, in this order; geometry is that of pooled embeddings."""


def value_of(measured: Evaluation, key: str) -> float | None:
    """A number of an evaluation, by its dotted key."""
    try:
        value = attrgetter(key)(measured)
        return None if value is None else float(value)
    except (AttributeError, TypeError) as error:
        raise EvaluationError(f"evaluation.json lacks {key}; evaluate the run again") from error

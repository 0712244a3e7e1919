"""What losses and runs are compared by, and how each number depends on patients."""

from dataclasses import dataclass

from pacl.evaluation import SUM_SCORES, SumScore


@dataclass(frozen=True, slots=True)
class Measure:
    """A number to compare by.

    Parameters
    ----------
    name, key
        For people, and the dotted key in an evaluation.
    patient
        Section and key of a value that each patient has, where the number is their mean.
    geometry
        Whether it is of the embeddings. It means nothing for runs whose embeddings are a point, so
        that such runs are left out.
    sums
        How the number follows from sums over patients' windows, where it does.
    bounds
        Least and greatest value there can be, where there are such.
    """

    name: str
    key: str
    patient: tuple[str, str] | None = None
    geometry: bool = True
    sums: SumScore | None = None
    bounds: tuple[float, float] | None = None

    @property
    def over_patients(self) -> bool:
        """Whether it has an interval over patients; if not, it belongs to all of them together."""
        return self is AUROC or self.patient is not None or self.sums is not None


COHESION = (-1.0, 1.0)
SHARE = (0.0, 1.0)

AUROC = Measure("AUROC", "detection.auroc", geometry=False, bounds=SHARE)
PATIENT_AUROC = Measure(
    "AUROC, mean over patients",
    "detection.auroc_patient_mean",
    ("detection", "auroc"),
    geometry=False,
    bounds=SHARE,
)
SENSITIVITY = Measure(
    "AF recall (sensitivity)",
    "detection.af.recall",
    geometry=False,
    sums=SUM_SCORES["detection.af.recall"],
    bounds=SHARE,
)
SR_COHESION = Measure(
    "SR cohesion", "pooled.sr.cohesion", ("pooled", "sr_cohesion"), bounds=COHESION
)
AF_COHESION = Measure(
    "AF cohesion", "pooled.af.cohesion", ("pooled", "af_cohesion"), bounds=COHESION
)
COMPACTNESS = Measure(
    "per-patient compactness", "pooled.patient_compactness", ("pooled", "compactness")
)
CENTROID_DISTANCE = Measure("centroid distance", "pooled.centroid_distance")
CENTROID_SIMILARITY = Measure("centroid similarity", "pooled.centroid_similarity")
GLOBAL_COMPACTNESS = Measure("global compactness", "pooled.compactness")
SR_SPREAD = Measure(
    "SR spread within a patient", "pooled.sr.patient_spread", ("pooled", "sr_spread")
)
AF_SPREAD = Measure(
    "AF spread within a patient", "pooled.af.patient_spread", ("pooled", "af_spread")
)
SR_SPREAD_RATIO = Measure("SR spread ratio", "pooled_spread.sr.spread_ratio")
SR_CENTROID_COSINE = Measure(
    "cosine between patients' SR centroids", "pooled_spread.sr.centroid_cosine"
)

_KNOWN = {
    measure.key: measure
    for measure in (AUROC, PATIENT_AUROC, SR_COHESION, AF_COHESION, COMPACTNESS)
}


def measure_of(name: str, key: str) -> Measure:
    """The measure with a dotted key."""
    return _KNOWN.get(key) or Measure(
        name,
        key,
        geometry=not key.startswith("detection."),
        sums=SUM_SCORES.get(key),
        bounds=SHARE if key in SUM_SCORES else None,
    )

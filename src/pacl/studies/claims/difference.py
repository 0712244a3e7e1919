"""How much higher one loss is than another, with an interval over patients and seeds."""

from dataclasses import dataclass

import numpy as np

from pacl.evaluation import (
    EvaluationError,
    PatientComparison,
    SeedComparison,
    compare_auroc,
    compare_patients,
    compare_seeds,
)
from pacl.studies.claims.claim import Verdict, verdict_of
from pacl.studies.outcomes import Outcomes

FEWEST_PATIENTS = 6
"""With fewer, nobody knows what an interval covers: no study of it had less."""
NAMES = {"patient-aware": "proposed", "supcon": "SupCon", "bce": "BCE"}


@dataclass(frozen=True, slots=True)
class Measure:
    """A number to compare losses by.

    `patient` names the section and the key of a value that each patient has; without it the number
    belongs to all patients together, and is found by its dotted `key`. `geometry` of runs whose
    embeddings are a point means nothing, so that such runs are left out.
    """

    name: str
    key: str
    patient: tuple[str, str] | None = None
    geometry: bool = True


AUROC = Measure("AUROC", "detection.auroc", geometry=False)
SR_COHESION = Measure("SR cohesion", "pooled.sr.cohesion", ("pooled", "sr_cohesion"))
AF_COHESION = Measure("AF cohesion", "pooled.af.cohesion", ("pooled", "af_cohesion"))
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


@dataclass(frozen=True, slots=True)
class Difference:
    """First less second, with the interval at 95 %."""

    measure: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float | None
    """Of swapping the losses within patients, or within seeds where patients have no value."""
    over: str
    enough: bool
    """Whether patients and seeds are enough to say anything."""
    left_out: tuple[int, ...]

    @property
    def verdict(self) -> Verdict:
        """Whether the first is higher."""
        return verdict_of(self.low, self.high) if self.enough else "cannot be told"

    def describe(self) -> str:
        """In words."""
        if not np.isfinite(self.difference):
            return f"{self.first} and {self.second} cannot be compared over {self.over}"
        return (
            f"{self.first} less {self.second}: {self.difference:+.4f} "
            f"[{self.low:+.4f}, {self.high:+.4f}] over {self.over}"
        )


def compare(outcomes: Outcomes, first: str, second: str, measure: Measure) -> Difference:
    """Compare two losses on the seeds they share."""
    kept, left_out = _seeds(outcomes, (first, second), measure)
    names = (NAMES.get(first, first), NAMES.get(second, second))
    try:
        found = _compare(outcomes, first, second, measure, kept)
    except EvaluationError as error:
        nothing = (np.nan, -np.inf, np.inf)
        over = f"{_count(len(kept), 'seed')} ({error})"
        return Difference(measure.name, *names, *nothing, None, over, False, left_out)
    if isinstance(found, SeedComparison):
        over = f"{_count(found.seeds, 'seed')}, patients taken as given"
        limits = (found.difference, found.low, found.high)
        p_value = found.flips.p_value
        return Difference(measure.name, *names, *limits, p_value, over, found.seeds > 1, left_out)
    interval = found.over_both or found.over_patients
    over = f"{_count(found.patients, 'patient')} and {_count(found.seeds, 'seed')}"
    enough = found.patients >= FEWEST_PATIENTS and found.seeds > 1
    limits = (interval.estimate, interval.low, interval.high)
    return Difference(measure.name, *names, *limits, found.flips.p_value, over, enough, left_out)


def _seeds(
    outcomes: Outcomes, losses: tuple[str, ...], measure: Measure
) -> tuple[list[int], tuple[int, ...]]:
    """Places of the seeds to compare by, and the seeds left out."""
    fallen = {
        at
        for loss in losses
        for at, one in enumerate(outcomes.of(loss))
        if measure.geometry and one.collapsed
    }
    kept = [at for at in range(len(outcomes.seeds)) if at not in fallen]
    return kept, tuple(outcomes.seeds[at] for at in sorted(fallen))


def _compare(
    outcomes: Outcomes, first: str, second: str, measure: Measure, kept: list[int]
) -> PatientComparison | SeedComparison:
    if not kept:
        raise EvaluationError("embeddings collapsed in all")
    generator = np.random.default_rng(0)
    if measure is AUROC:
        one, other = (
            np.stack([outcomes.of(loss)[at].predictions.probability for at in kept])
            for loss in (first, second)
        )
        shared = outcomes.of(first)[kept[0]].predictions
        return compare_auroc(shared.labels, one, other, shared.patients, generator)
    if measure.patient is not None:
        one, other = (outcomes.by_patient(loss, *measure.patient)[kept] for loss in (first, second))
        known = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
        return compare_patients(one[:, known], other[:, known], generator)
    one, other = (outcomes.values(loss, measure.key)[kept] for loss in (first, second))
    return compare_seeds(one, other)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

"""How much higher one loss is than another, with an interval over patients and seeds."""

from dataclasses import dataclass

import numpy as np

from pacl.evaluation import FEWEST_PATIENTS, EvaluationError, SeedComparison
from pacl.studies.claims.claim import Verdict, verdict_of
from pacl.studies.metric import Metric
from pacl.studies.outcomes import Outcomes
from pacl.studies.patient_statistics import compare_judged

NAMES = {"patient-aware": "proposed", "supcon": "SupCon", "bce": "BCE"}


@dataclass(frozen=True, slots=True)
class Difference:
    """First less second, with the interval at 95 %."""

    metric: str
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
            f"{self.first} minus {self.second}: {self.difference:+.4f} "
            f"[{self.low:+.4f}, {self.high:+.4f}] over {self.over}"
        )


def compare(outcomes: Outcomes, first: str, second: str, metric: Metric) -> Difference:
    """Compare two losses on the seeds they share."""
    kept, left_out = _seeds(outcomes, (first, second), metric)
    names = (NAMES.get(first, first), NAMES.get(second, second))
    try:
        if not kept:
            raise EvaluationError("embeddings collapsed in all of them")
        one, other = ([outcomes.of(loss)[at] for at in kept] for loss in (first, second))
        found = compare_judged(one, other, metric)
    except EvaluationError as error:
        nothing = (np.nan, -np.inf, np.inf)
        over = f"{_count(len(kept), 'seed')} ({error})"
        return Difference(metric.name, *names, *nothing, None, over, False, left_out)
    if isinstance(found, SeedComparison):
        over = f"{_count(found.seeds, 'seed')}, patients taken as given"
        limits = (found.difference, found.low, found.high)
        p_value = found.flips.p_value
        return Difference(metric.name, *names, *limits, p_value, over, found.seeds > 1, left_out)
    interval = found.over_both or found.over_patients
    over = f"{_count(found.patients, 'patient')} and {_count(found.seeds, 'seed')}"
    enough = found.patients >= FEWEST_PATIENTS and found.seeds > 1
    limits = (interval.estimate, interval.low, interval.high)
    return Difference(metric.name, *names, *limits, found.flips.p_value, over, enough, left_out)


def _seeds(
    outcomes: Outcomes, losses: tuple[str, ...], metric: Metric
) -> tuple[list[int], tuple[int, ...]]:
    """Places of the seeds to compare by, and the seeds left out."""
    fallen = {
        at
        for loss in losses
        for at, one in enumerate(outcomes.of(loss))
        if metric.geometry and one.collapsed
    }
    kept = [at for at in range(len(outcomes.seeds)) if at not in fallen]
    return kept, tuple(outcomes.seeds[at] for at in sorted(fallen))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

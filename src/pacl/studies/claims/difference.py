"""One loss against another: differences, orders of losses, and spreads over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pacl.evaluation import (
    FEWEST_SUBJECTS,
    EvaluationError,
    SeedComparison,
    SpreadRatio,
    spread_ratio,
)
from pacl.studies.claims.claim import Claim, Verdict, all_of, verdict_of
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
    """Whether there are enough patients and seeds for a verdict."""
    left_out: tuple[int, ...]

    @property
    def verdict(self) -> Verdict:
        """Whether the first is higher."""
        return verdict_of(self.low, self.high) if self.enough else "inconclusive"

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
    interval = found.over_both or found.over_subjects
    over = f"{_count(found.subjects, 'patient')} and {_count(found.seeds, 'seed')}"
    enough = found.subjects >= FEWEST_SUBJECTS and found.seeds > 1
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


def order_claim(
    outcomes: Outcomes,
    metric: Metric,
    descending: Sequence[str],
    *,
    key: str,
    section: str,
    text: str,
    paper: str,
) -> Claim:
    """A claim that losses come in this order, the highest first; all steps significant."""
    steps = [compare(outcomes, first, second, metric) for first, second in pairwise(descending)]
    return Claim(
        key=key,
        section=section,
        text=text,
        paper=paper,
        ours=f"{metric.name} " + means_of(outcomes, metric, descending),
        verdict=all_of([step.verdict for step in steps]),
        reason=reasons(steps),
        cohort=outcomes.title,
    )


def means_of(outcomes: Outcomes, metric: Metric, losses: Sequence[str]) -> str:
    """The mean over seeds of each loss; of geometry without runs that collapsed."""
    found = []
    for loss in losses:
        counts = [not (metric.geometry and one.collapsed) for one in outcomes.of(loss)]
        values = outcomes.values(loss, metric.key)[counts]
        known = np.isfinite(values)
        found.append(
            f"{NAMES.get(loss, loss)} {values[known].mean():.3f}"
            if known.any()
            else f"{NAMES.get(loss, loss)} none"
        )
    return ", ".join(found)


def reasons(steps: Sequence[Difference]) -> str:
    """The differences, and the seeds that were left out."""
    text = "; ".join(f"{step.metric}, {step.describe()}" for step in steps)
    left_out = sorted({seed for step in steps for seed in step.left_out})
    if left_out:
        text += (
            f". Left out: seed{'s' * (len(left_out) > 1)} {', '.join(map(str, left_out))}, where "
            "embeddings collapsed to a point, where cohesion is always 1"
        )
    return text + "."


@dataclass(frozen=True, slots=True)
class SpreadClaim:
    """Whether the first loss varies more over seeds than the second."""

    verdict: Verdict
    ours: str
    reason: str


def compare_spreads(outcomes: Outcomes, first: str, second: str, key: str) -> SpreadClaim:
    """Compare standard deviations over seeds.

    Inconclusive where runs collapsed: a collapse is an outlier, and tests of a ratio of spreads
    assume normal values. With equal chances of collapsing, they would find a difference in half
    of all studies.
    """
    names = f"{NAMES.get(first, first)} / {NAMES.get(second, second)}"
    values = [outcomes.values(loss, key) for loss in (first, second)]
    try:
        found = spread_ratio(values[0], values[1], shared_seeds=True)
    except EvaluationError as error:
        return SpreadClaim("inconclusive", f"{names}: no ratio", f"{error}.")
    ours = f"{names}: ratio {found.ratio:.2f} [{found.low:.2f}, {found.high:.2f}]"
    fallen = {
        loss: [at for at, one in enumerate(outcomes.of(loss)) if one.collapsed]
        for loss in (first, second)
    }
    if not any(fallen.values()):
        return SpreadClaim(verdict_of(found.low - 1, found.high - 1), ours, _about(found))
    counts = ", ".join(
        f"{NAMES.get(loss, loss)} in {len(lost)} of {len(outcomes.seeds)} seeds"
        for loss, lost in fallen.items()
    )
    left = [at for at in range(len(outcomes.seeds)) if at not in {*fallen[first], *fallen[second]}]
    reason = f"Embeddings collapsed to a point: {counts}. No test of spreads is valid then."
    try:
        without = spread_ratio(values[0][left], values[1][left], shared_seeds=True)
        limits = f"[{without.low:.2f}, {without.high:.2f}]"
        reason += f" Over the other {len(left)} seeds the ratio is {without.ratio:.2f} {limits}."
    except EvaluationError:
        reason += f" The other {len(left)} seeds give no ratio."
    return SpreadClaim("inconclusive", ours, reason)


def _about(found: SpreadRatio) -> str:
    text = f"F-test p = {found.p_value:.3f}"
    if found.p_paired is not None:
        text += f", paired (Pitman and Morgan) p = {found.p_paired:.3f}"
    if found.seeds_needed is not None:
        text += (
            f"; to show in four of five studies that a ratio of {found.ratio:.2f} is not 1 takes "
            f"{found.seeds_needed} seeds per loss"
        )
    return text + "."

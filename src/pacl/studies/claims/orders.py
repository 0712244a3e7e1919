"""Claims that one loss is above another, or that losses come in an order."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pacl.studies.claims.claim import Claim, all_of
from pacl.studies.claims.difference import NAMES, Difference, compare
from pacl.studies.metric import Metric
from pacl.studies.outcomes import Outcomes


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
    """A claim that losses come in this order, the highest first; each step has to be told."""
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
    """The mean over seeds of each loss, without runs that collapsed where those mean nothing."""
    told = []
    for loss in losses:
        counts = [not (metric.geometry and one.collapsed) for one in outcomes.of(loss)]
        values = outcomes.values(loss, metric.key)[counts]
        known = np.isfinite(values)
        told.append(
            f"{NAMES.get(loss, loss)} {values[known].mean():.3f}"
            if known.any()
            else f"{NAMES.get(loss, loss)} none"
        )
    return ", ".join(told)


def reasons(steps: Sequence[Difference]) -> str:
    """What was compared, and which runs were not."""
    told = "; ".join(f"{step.metric}, {step.describe()}" for step in steps)
    left_out = sorted({seed for step in steps for seed in step.left_out})
    if left_out:
        told += (
            f". Left out: seed{'s' * (len(left_out) > 1)} {', '.join(map(str, left_out))}, where "
            "embeddings collapsed to a point, whose cohesion is 1 and means nothing"
        )
    return told + "."

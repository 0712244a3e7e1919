"""AUROC against the number of patients whose labels are known, one line a system."""

import math
import re
from dataclasses import dataclass

from pacl.report.rivals.outcomes import RivalsReport
from pacl.report.rivals.scores import Mean, scores_of


@dataclass(frozen=True, slots=True)
class LabelCurve:
    """A system's AUROC under each condition; not known where it was not tried."""

    method: str
    auroc: tuple[Mean, ...]


@dataclass(frozen=True, slots=True)
class LabelCurves:
    """Conditions from few patients to all, and a curve a system in the order they are listed in."""

    conditions: tuple[str, ...]
    curves: tuple[LabelCurve, ...]


def compute_label_curves(report: RivalsReport, dataset: str) -> LabelCurves:
    """All systems that learned from few patients; who was tried only on all is left out."""
    conditions = sorted(report.conditions("labels", dataset), key=patients_in)
    scores = [
        {score.method: score.auroc for score in scores_of(report, "labels", dataset, condition)}
        for condition in conditions
    ]
    unknown = Mean(math.nan, math.nan)
    curves = []
    for method in report.methods:
        auroc = tuple(found.get(method, unknown) for found in scores)
        known = [patients_in(c) for c, a in zip(conditions, auroc, strict=True) if a is not unknown]
        if any(count < math.inf for count in known):
            curves.append(LabelCurve(method, auroc))
    return LabelCurves(tuple(conditions), tuple(curves))


def patients_in(condition: str) -> float:
    """4 for `4 patients`, infinity for all."""
    found = re.match(r"\d+", condition)
    return float(found.group()) if found else math.inf

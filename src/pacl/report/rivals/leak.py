"""How much AUROC gains when windows of the judged patients are learned from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pacl.report.rivals.differences import (
    ALL_WINDOWS,
    WITHIN_PATIENTS,
    Difference,
    corrected_for_many,
)
from pacl.report.rivals.outcomes import RivalsReport, where
from pacl.report.rivals.scores import Mean, scores_of

Found = TypeVar("Found")

PATIENTS = "patients"
ORDER = ("windows apart", "windows")
"""How much is known of the judged windows: their patients; and most of their beats, too."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A system's AUROC split by patients, and split otherwise."""

    method: str
    patients: Mean
    others: Mapping[str, Mean]
    inflation: Mapping[str, Difference]
    """A split by windows less the split by patients."""
    within: Mapping[str, Difference]
    """The same within patients."""


@dataclass(frozen=True, slots=True)
class Leaks:
    """Splits other than by patients, and the systems that went through one of them."""

    conditions: tuple[str, ...]
    leaks: tuple[Leak, ...]


def compute_leaks(report: RivalsReport, dataset: str) -> Leaks:
    """Systems in the order of their AUROC on strangers."""
    found = [name for name in report.conditions("leak", dataset) if name != PATIENTS]
    conditions = sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else -1, name))
    of_condition = {
        name: {score.method: score.auroc for score in scores_of(report, "leak", dataset, name)}
        for name in conditions
    }
    by_patients = scores_of(report, "leak", dataset, PATIENTS) or scores_of(report, "main", dataset)
    inflation, within = (
        {name: _inflation(report, dataset, name, measure) for name in conditions}
        for measure in (ALL_WINDOWS, WITHIN_PATIENTS)
    )
    leaks = [
        Leak(
            score.method,
            score.auroc,
            _of(score.method, of_condition),
            _of(score.method, inflation),
            _of(score.method, within),
        )
        for score in by_patients
    ]
    return Leaks(tuple(conditions), tuple(leak for leak in leaks if leak.others))


def _inflation(
    report: RivalsReport, dataset: str, condition: str, measure: str
) -> dict[str, Difference]:
    """By system."""
    rows = where(report.inflation, dataset=dataset, condition=condition, measure=measure)
    return {one.method: one for one in corrected_for_many(rows)}


def _of(method: str, found: Mapping[str, Mapping[str, Found]]) -> dict[str, Found]:
    """What a system has, by condition."""
    return {name: of_method[method] for name, of_method in found.items() if method in of_method}

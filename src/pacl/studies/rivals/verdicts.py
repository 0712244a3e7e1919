"""Which differences between systems are significant, and what a leaking split adds to AUROC."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from pacl.evaluation import SIGNIFICANCE, holm
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import (
    ALL_WINDOWS,
    WITHIN_PATIENTS,
    DifferenceRow,
    InflationRow,
    where,
)
from pacl.studies.rivals.scores import Mean, scores_of

Verdict = Literal["above", "below", "open"]
PATIENTS = "patients"
ORDER = ("windows apart", "windows")
"""Splits by what they leak: the patients; and most of the beats of a window, too."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Difference:
    """A system's AUROC less that of the reference, on the same patients and seeds.

    Parameters
    ----------
    estimate, low, high
        The difference, and its interval at 95 % for other patients and seeds.
    p
        Of swapping the two within patients.
    corrected
        The same, corrected for the number of systems (Holm 1979).
    """

    method: str
    estimate: float
    low: float
    high: float
    p: float
    corrected: float

    @property
    def verdict(self) -> Verdict:
        """Significant only if the interval excludes 0 and the corrected p is small, too."""
        if not self.corrected < SIGNIFICANCE or self.low <= 0 <= self.high:
            return "open"
        return "above" if self.estimate > 0 else "below"

    @property
    def text(self) -> str:
        """`+0.0012 [-0.0003, +0.0031], p 0.12`."""
        interval = f" [{self.low:+.4f}, {self.high:+.4f}]" * (not math.isnan(self.low))
        return f"{self.estimate:+.4f}{interval}, {p_text(self.p)}"


def differences_of(
    found: RivalsComparison,
    dataset: str,
    reference: str,
    measure: str = ALL_WINDOWS,
    *,
    study: str = "main",
    condition: str = "",
) -> tuple[Difference, ...]:
    """All systems less one, the highest first."""
    rows = where(
        found.differences,
        study=study,
        dataset=dataset,
        condition=condition,
        reference=reference,
        measure=measure,
    )
    return tuple(sorted(_corrected(rows), key=lambda one: -one.estimate))


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
    """Splits other than by patients, and the systems that were tried with one of them."""

    conditions: tuple[str, ...]
    leaks: tuple[Leak, ...]


def leaks_of(found: RivalsComparison, dataset: str) -> Leaks:
    """Systems in the order of their AUROC on unseen patients."""
    names = [name for name in found.conditions("leak", dataset) if name != PATIENTS]
    conditions = sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else -1, name))
    of_condition = {
        name: {score.method: score.auroc for score in scores_of(found, "leak", dataset, name)}
        for name in conditions
    }
    by_patients = scores_of(found, "leak", dataset, PATIENTS) or scores_of(found, "main", dataset)
    inflation, within = (
        {name: _inflation(found, dataset, name, measure) for name in conditions}
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


def p_text(p: float) -> str:
    """`p 0.12`, `p < 0.001`, or that there is none."""
    if math.isnan(p):
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}" if p < 0.1 else f"p {p:.2f}"


def _corrected(rows: Sequence[DifferenceRow | InflationRow]) -> list[Difference]:
    """Differences of as many systems as there are rows, in their order."""
    corrected = holm([row.p for row in rows])
    return [
        Difference(row.method, row.estimate, row.low, row.high, row.p, p)
        for row, p in zip(rows, corrected, strict=True)
    ]


def _inflation(
    found: RivalsComparison, dataset: str, condition: str, measure: str
) -> dict[str, Difference]:
    """By system."""
    rows = where(found.inflation, dataset=dataset, condition=condition, measure=measure)
    return {one.method: one for one in _corrected(rows)}


def _of(method: str, found: Mapping[str, Mapping[str, Found]]) -> dict[str, Found]:
    """Values of one system, by condition."""
    return {name: of_method[method] for name, of_method in found.items() if method in of_method}

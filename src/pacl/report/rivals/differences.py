"""Systems less a reference, and which of these differences are more than chance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pacl.report.rivals.outcomes import RivalsReport, Row, where

ALL_WINDOWS, WITHIN_PATIENTS = "all windows", "within patients"
MEASURES = (ALL_WINDOWS, WITHIN_PATIENTS)
LEVEL = 0.05

Verdict = Literal["above", "below", "open"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A system's AUROC less that of the reference, on the same patients and seeds.

    Parameters
    ----------
    estimate, low, high
        The difference, and where it may lie in other patients and seeds, at 95 %.
    p
        How often chance alone, swapping the two within patients, moves it as far from 0.
    corrected
        The same for so many systems at once (Holm 1979).
    """

    method: str
    estimate: float
    low: float
    high: float
    p: float
    corrected: float

    @property
    def verdict(self) -> Verdict:
        """More than chance only if the interval leaves 0 out and the corrected p is small, too."""
        if not self.corrected < LEVEL or self.low <= 0 <= self.high:
            return "open"
        return "above" if self.estimate > 0 else "below"

    @property
    def text(self) -> str:
        """`+0.0012 [-0.0003, +0.0031], p 0.12`."""
        interval = f" [{self.low:+.4f}, {self.high:+.4f}]" * (not math.isnan(self.low))
        return f"{self.estimate:+.4f}{interval}, {p_text(self.p)}"


def differences_of(
    report: RivalsReport,
    dataset: str,
    reference: str,
    measure: str = ALL_WINDOWS,
    *,
    study: str = "main",
    condition: str = "",
) -> tuple[Difference, ...]:
    """All systems less one, the highest first."""
    rows = where(
        report.differences,
        study=study,
        dataset=dataset,
        condition=condition,
        reference=reference,
        measure=measure,
    )
    return tuple(sorted(corrected_for_many(rows), key=lambda one: -one.estimate))


def corrected_for_many(rows: Sequence[Row]) -> list[Difference]:
    """Differences of as many systems as there are rows, in their order."""
    found = [
        Difference(
            method=row["method"],
            estimate=_number(row["estimate"]),
            low=_number(row["low"]),
            high=_number(row["high"]),
            p=_number(row["p"]),
            corrected=math.nan,
        )
        for row in rows
    ]
    corrected = holm([one.p for one in found])
    return [replace(one, corrected=p) for one, p in zip(found, corrected, strict=True)]


def holm(p: Sequence[float]) -> list[float]:
    """p-values for so many tests at once; what is not known is no test.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((value, at) for at, value in enumerate(p) if not math.isnan(value))
    found, least = [math.nan] * len(p), 0.0
    for done, (value, at) in enumerate(order):
        least = max(least, min(1.0, (len(order) - done) * value))
        found[at] = least
    return found


def p_text(p: float) -> str:
    """`p 0.12`, `p < 0.001`, or that there is none."""
    if math.isnan(p):
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}" if p < 0.1 else f"p {p:.2f}"


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)

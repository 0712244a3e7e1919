"""What a system reached in one place: means over seeds, and how far seeds lie apart."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from pacl.report.rivals.outcomes import RivalsReport, Row, where


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over seeds, and their standard deviation; NaN where it is not known."""

    mean: float
    sd: float

    @classmethod
    def of(cls, rows: Iterable[Row], column: str) -> "Mean":
        """Of a column; not known where a seed has no number, or no column of that name."""
        found = [row.get(column) for row in rows]
        known = [math.nan if value is None else float(value) for value in found]
        if not known or any(math.isnan(value) for value in known):
            return cls(math.nan, math.nan)
        return cls(statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else math.nan)


@dataclass(frozen=True, eq=False, slots=True)
class Score:
    """What a system reached.

    Parameters
    ----------
    method
        Its name.
    auroc
        Over all windows.
    low, high
        Where that may lie in other patients, at 95 %; NaN where that is not known.
    patient_auroc
        Mean over patients of each one's own.
    rows
        What it was made from, a row a seed.
    """

    method: str
    auroc: Mean
    low: float
    high: float
    patient_auroc: Mean
    rows: tuple[Row, ...]

    def of(self, column: str) -> Mean:
        """Another column of the same rows."""
        return Mean.of(self.rows, column)

    @property
    def interval(self) -> str:
        """`0.9961 to 0.9994`, or nothing."""
        known = not (math.isnan(self.low) or math.isnan(self.high))
        return f"{self.low:.4f} to {self.high:.4f}" if known else ""


def scores_of(
    report: RivalsReport, study: str, dataset: str, condition: str | None = None
) -> tuple[Score, ...]:
    """Scores of all systems in one place, the highest AUROC first."""
    rows = where(report.pooled, study=study, dataset=dataset)
    if condition is not None:
        rows = where(rows, condition=condition)
    found = []
    for method in report.named(rows):
        own = where(rows, method=method)
        low, high = (Mean.of(own, f"auroc_{end}").mean for end in ("low", "high"))
        mean, patient = Mean.of(own, "auroc"), Mean.of(own, "auroc_patient_mean")
        found.append(Score(method, mean, low, high, patient, own))
    return tuple(sorted(found, key=lambda score: _falling(score.auroc.mean)))


def _falling(value: float) -> float:
    """The highest first, what is not known last."""
    return math.inf if math.isnan(value) else -value

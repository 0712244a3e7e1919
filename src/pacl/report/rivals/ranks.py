"""Systems ranked patient by patient: Friedman's test, then Nemenyi's critical difference.

Each patient ranks the systems by the AUROC within the patient (Demšar 2006). Two systems differ if
their average ranks lie further apart than

    CD = q sqrt(k (k + 1) / (6 N)),    k systems, N patients,

where q is the studentized range over sqrt(2).
"""

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from pacl.axes import Array, Float64
from pacl.report.rivals.differences import LEVEL
from pacl.report.rivals.outcomes import RivalsReport, where

LEAST_SYSTEMS = 3
LEAST_PATIENTS = 2
DECIMALS = 9
"""What differs by less is a tie."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Average ranks, 1 the best.

    Parameters
    ----------
    methods, average
        Systems and their average ranks, the best first.
    patients
        How many ranked them: those with an AUROC of their own from every system.
    p
        Friedman's test of all systems being alike.
    critical
        Average ranks that lie no further apart may differ by chance, at 5 %.
    alike
        Groups of systems, by first and last place, none of which differs from another.
    """

    methods: tuple[str, ...]
    average: tuple[float, ...]
    patients: int
    p: float
    critical: float
    alike: tuple[tuple[int, int], ...]

    def beside(self, place: int) -> tuple[str, ...]:
        """Systems that cannot be told from the one at a place."""
        near = (abs(rank - self.average[place]) <= self.critical for rank in self.average)
        return tuple(
            name
            for at, (name, close) in enumerate(zip(self.methods, near, strict=True))
            if close and at != place
        )


def compute_ranks(report: RivalsReport, dataset: str) -> Ranks | None:
    """Rank the systems by their patients; None where systems or patients are too few."""
    rows = where(report.results, study="main", dataset=dataset)
    methods = report.named(rows)
    of_cell: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        value = nan if row["auroc"] is None else float(row["auroc"])
        of_cell.setdefault((row["patient"], row["method"]), []).append(value)
    patients = sorted({row["patient"] for row in rows})
    values = np.array(
        [[np.mean(of_cell.get((who, name), [nan])) for name in methods] for who in patients]
    ).reshape(len(patients), len(methods))
    values = values[np.isfinite(values).all(axis=1)]
    if len(methods) < LEAST_SYSTEMS or len(values) < LEAST_PATIENTS:
        return None
    return rank_systems(values, methods)


def rank_systems(values: Float64[Array, "patient system"], methods: tuple[str, ...]) -> Ranks:
    """Rank the columns within each row, the highest value first."""
    from scipy.stats import rankdata

    ranks = rankdata(-values.round(DECIMALS), axis=1)
    average = ranks.mean(axis=0)
    order = np.argsort(average, kind="stable")
    ordered = average[order]
    critical = critical_difference(len(methods), len(values))
    return Ranks(
        tuple(methods[at] for at in order),
        tuple(ordered.tolist()),
        len(values),
        _friedman(ranks),
        critical,
        _alike(ordered, critical),
    )


def critical_difference(systems: int, patients: int, level: float = LEVEL) -> float:
    """Nemenyi's; average ranks further apart differ."""
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - level, systems, inf)) / sqrt(2)
    return quantile * sqrt(systems * (systems + 1) / (6 * patients))


def _friedman(ranks: Float64[Array, "patient system"]) -> float:
    from scipy.stats import friedmanchisquare

    if np.ptp(ranks, axis=1).max() == 0:
        return 1.0  # every patient has all systems alike
    return float(friedmanchisquare(*ranks.T).pvalue)


def _alike(average: Float64[Array, "system"], critical: float) -> tuple[tuple[int, int], ...]:
    """The longest runs of neighbours within the critical difference, two systems or more."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(average):
        last = int(np.searchsorted(average, rank + critical, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return tuple(found)

"""What intervals over patients were found to cover, by method and number of patients.

Found with simulated patients (`coverage_study`) by `docs/figures/coverage.py`, which writes
`docs/data/coverage.md` too. Intervals are of nominal 95 %; the standard error of a share here is at
most 1 %.
"""

from collections.abc import Mapping
from math import log
from typing import Literal, TypeAlias

Quantity: TypeAlias = Literal["pooled AUROC", "patient AUROC"]
"""AUROC over all windows, or the mean of patients' own AUROCs."""

LEVEL = 0.95
PATIENTS = (6, 12, 24, 48)
REPLICATIONS = 2500
RESAMPLES = 1000
SEED = 2026

COVERAGE: Mapping[Quantity, Mapping[str, Mapping[str, tuple[float, ...]]]] = {
    "pooled AUROC": {
        "percentile": {
            "AUROC 0.99": (0.554, 0.682, 0.776, 0.826),
            "AUROC 0.95": (0.678, 0.769, 0.855, 0.891),
            "AUROC 0.99, one in 20 missed": (0.409, 0.529, 0.63, 0.706),
        },
        "bca": {
            "AUROC 0.99": (0.597, 0.735, 0.828, 0.866),
            "AUROC 0.95": (0.699, 0.799, 0.865, 0.9),
            "AUROC 0.99, one in 20 missed": (0.453, 0.594, 0.703, 0.774),
        },
        "logit": {
            "AUROC 0.99": (0.87, 0.876, 0.889, 0.904),
            "AUROC 0.95": (0.9, 0.901, 0.912, 0.929),
            "AUROC 0.99, one in 20 missed": (0.756, 0.755, 0.785, 0.808),
        },
        "effective": {
            "AUROC 0.99": (0.906, 0.936, 0.946, 0.952),
            "AUROC 0.95": (0.936, 0.952, 0.954, 0.96),
            "AUROC 0.99, one in 20 missed": (0.818, 0.844, 0.871, 0.891),
        },
    },
    "patient AUROC": {
        "percentile": {
            "AUROC 0.99": (0.548, 0.638, 0.725, 0.805),
            "AUROC 0.95": (0.653, 0.748, 0.829, 0.885),
            "AUROC 0.99, one in 20 missed": (0.271, 0.399, 0.556, 0.689),
        },
        "bca": {
            "AUROC 0.99": (0.585, 0.692, 0.779, 0.847),
            "AUROC 0.95": (0.689, 0.792, 0.866, 0.899),
            "AUROC 0.99, one in 20 missed": (0.294, 0.432, 0.596, 0.747),
        },
        "logit": {
            "AUROC 0.99": (0.849, 0.845, 0.86, 0.888),
            "AUROC 0.95": (0.887, 0.896, 0.91, 0.921),
            "AUROC 0.99, one in 20 missed": (0.65, 0.593, 0.682, 0.798),
        },
        "effective": {
            "AUROC 0.99": (0.877, 0.908, 0.939, 0.956),
            "AUROC 0.95": (0.909, 0.943, 0.958, 0.962),
            "AUROC 0.99, one in 20 missed": (0.701, 0.713, 0.781, 0.867),
        },
    },
}
"""Share of intervals that held the true value: quantity, method, population, at `PATIENTS`."""


def coverage_of(
    quantity: Quantity | None, method: str, level: float, patients: int
) -> float | None:
    """What such an interval was found to cover; None where that was not studied.

    The least over the populations studied, for a cohort does not tell which one it is from: where
    one patient in 20 is missed by the detector, 24 patients hold none of them in three cohorts of
    ten. Between the numbers studied, coverage is interpolated on a log scale; of more patients it
    is taken to be that of the most studied, of fewer it is not known.
    """
    if quantity is None or level != LEVEL or patients < PATIENTS[0]:
        return None
    patients = min(patients, PATIENTS[-1])
    populations = COVERAGE.get(quantity, {}).get(method)
    if populations is None:
        return None
    return min(_interpolate(shares, patients) for shares in populations.values())


def _interpolate(shares: tuple[float, ...], patients: int) -> float:
    after = next(at for at, size in enumerate(PATIENTS) if patients <= size)
    if PATIENTS[after] == patients:
        return shares[after]
    step = log(patients / PATIENTS[after - 1]) / log(PATIENTS[after] / PATIENTS[after - 1])
    return shares[after - 1] + step * (shares[after] - shares[after - 1])

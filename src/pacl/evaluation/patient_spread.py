"""How a number varies with the patients it is measured on: leaving one out, and drawing anew."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.interval import NoIntervalError

Statistic: TypeAlias = Callable[[Array], Array]
"""From weights [resample, patient] to a value [resample]; NaN where there is none."""

ROUNDING = 1e-12
"""Differences up to this, relative to the estimate, are rounding and count as none."""


@dataclass(frozen=True, eq=False, slots=True)
class PatientSpread:
    """A number, and what becomes of it with other patients.

    Parameters
    ----------
    without
        The number without each patient in turn.
    resampled
        The number on patients drawn with replacement, as many as there are; empty where none were
        drawn. Draws without a value are left out; `undefined` is their share.
    """

    estimate: float
    without: Float64[Array, "patient"]
    resampled: Float64[Array, "resample"]
    undefined: float = 0.0


def spread_over_patients(
    statistic: Statistic,
    patients: int,
    *,
    resamples: int = 0,
    generator: np.random.Generator | None = None,
) -> PatientSpread:
    """Measure without each patient, and on `resamples` draws of patients with a generator."""
    if patients < 2:
        raise NoIntervalError(
            f"{patients} patient(s); an interval over patients needs at least 2, add patients"
        )
    estimate = float(statistic(np.ones((1, patients)))[0])
    without = statistic(1.0 - np.eye(patients))
    missing = np.flatnonzero(np.isnan(without))
    if np.isnan(estimate) or missing.size:
        who = f"patient {missing[0]} (counted from 0)" if missing.size else "more"
        raise NoIntervalError(
            f"nothing to measure without {who} of {patients} patients; an interval needs at least "
            "2 patients with each rhythm"
        )
    if np.ptp(without) <= ROUNDING * max(abs(estimate), np.abs(without).max()):
        raise NoIntervalError(
            f"{patients} patients and {estimate:g} without any one of them; what does not differ "
            "between patients has no interval, report the number alone"
        )
    if generator is None or not resamples:
        return PatientSpread(estimate, without, np.empty(0))
    weights = generator.multinomial(patients, np.full(patients, 1 / patients), size=resamples)
    drawn = statistic(weights.astype(np.float64))
    valid = drawn[~np.isnan(drawn)]
    return PatientSpread(estimate, without, valid, 1 - valid.size / resamples)

"""Limits of an interval from a number's spread over patients: four methods.

`percentile` and `bca` are the bootstrap's usual ones. Near an AUROC of 1 they are too short: most
of the loss sits in few patients, and draws of a cohort that happens to hold no such patient know
nothing of them.

`logit` is estimate ± t · SE on the logit, which keeps limits inside the bounds and makes them as
lopsided as they ought to be. SE is the jackknife's, not the bootstrap's: leaving out the one bad
patient shows by how much the number hangs on him, and it needs no random draws. t has one degree
of freedom less than there are patients.

`effective` is `logit` with as many degrees of freedom as there are patients who carry the spread:
(sum of d²)² / (sum of d⁴) over the patients' deviations d, which is the number of patients where
all count alike and 1 where one makes all of the difference (Satterthwaite's rule, each patient's
square taken for its own variance), at least `FEWEST`. Where five of 24 patients decide the number,
it is known as well as five patients let it be known.
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.interval import NoIntervalError
from pacl.evaluation.patient_spread import PatientSpread

Method: TypeAlias = Literal["percentile", "bca", "logit", "effective"]
Bounds: TypeAlias = tuple[float, float] | None
"""Least and greatest value there can be, where the logit is taken between them."""

FEWEST = 3.0
"""Degrees of freedom of `effective`, at least: with fewer, limits are next to the bounds."""


def percentile_limits(spread: PatientSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """Quantiles of the resampled values."""
    low, high = np.quantile(spread.resampled, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca_limits(spread: PatientSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """Quantiles corrected for bias and for a spread that changes with the value (Efron, 1987)."""
    from scipy.special import ndtr, ndtri

    drawn, estimate = spread.resampled, spread.estimate
    below = (np.mean(drawn < estimate) + np.mean(drawn <= estimate)) / 2
    least = 1 / (2 * drawn.size)
    bias = ndtri(np.clip(below, least, 1 - least))
    deviations = spread.without.mean() - spread.without
    acceleration = np.sum(deviations**3) / (6 * np.sum(deviations**2) ** 1.5)
    z = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    room = 1 - acceleration * z
    # At the pole of the correction and beyond it lies the outermost draw.
    moved = np.where(room > 0, bias + z / np.where(room > 0, room, 1.0), np.sign(z) * np.inf)
    low, high = np.quantile(drawn, ndtr(moved))
    return float(low), float(high)


def logit_limits(spread: PatientSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """Estimate ± t · SE on the logit, t with (patients - 1) degrees of freedom."""
    return _student(spread, level, bounds, lambda deviations: float(len(deviations) - 1))


def effective_limits(spread: PatientSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """As `logit`, t with the number of patients who carry the spread."""
    return _student(spread, level, bounds, effective_freedom)


def effective_freedom(deviations: Float64[Array, "patient"]) -> float:
    """How many patients carry a spread, from `FEWEST` to one less than there are."""
    most = float(len(deviations) - 1)
    return min(max(carrying_patients(deviations), min(FEWEST, most)), most)


def carrying_patients(deviations: Float64[Array, "patient"]) -> float:
    """How many patients a spread hangs on: all where all count alike, 1 where one makes it."""
    squares = (deviations / np.abs(deviations).max()) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum())


def student_quantile(freedom: float, level: float) -> float:
    """Half the width of an interval in standard errors."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


LIMITS: Mapping[Method, Callable[[PatientSpread, float, Bounds], tuple[float, float]]] = {
    "percentile": percentile_limits,
    "bca": bca_limits,
    "logit": logit_limits,
    "effective": effective_limits,
}
RESAMPLED: frozenset[Method] = frozenset({"percentile", "bca"})
"""Methods that need draws of patients; the others are the same every time."""


def _student(
    spread: PatientSpread,
    level: float,
    bounds: Bounds,
    freedom: Callable[[Float64[Array, "patient"]], float],
) -> tuple[float, float]:
    low, high = (0.0, 0.0) if bounds is None else bounds
    if bounds is not None and not low < spread.estimate < high:
        raise NoIntervalError(
            f"estimate {spread.estimate:g} is not between {low:g} and {high:g}, where there is a "
            "logit; report the number alone"
        )

    def logit(values: Float64[Array, "value"]) -> Float64[Array, "value"]:
        if bounds is None:
            return values
        # A value at a bound has no logit: what one patient can change is taken to end at a small
        # part of the estimate's own distance from it.
        part = 1 / (2 * len(spread.without))
        above = np.maximum(values - low, part * (spread.estimate - low))
        under = np.maximum(high - values, part * (high - spread.estimate))
        return np.asarray(np.log(above) - np.log(under))

    without = logit(spread.without)
    deviations = without - without.mean()
    patients = len(deviations)
    error = np.sqrt((patients - 1) / patients * np.sum(deviations**2))
    reach = student_quantile(freedom(deviations), level) * error
    centre = logit(np.array([spread.estimate]))[0]
    ends = np.array([centre - reach, centre + reach])
    if bounds is not None:
        ends = low + (high - low) * (0.5 + 0.5 * np.tanh(ends / 2))
    return float(ends[0]), float(ends[1])

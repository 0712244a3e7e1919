"""An interval over patients: how a number varies with the patients, and limits that follow.

`percentile` and `bca` are the usual limits of the bootstrap. Near an AUROC of 1 they are too short:
most of the loss comes from few patients, and resamples without such a patient do not show it.

`logit` is estimate ± t · SE on the logit scale, which keeps limits inside the bounds and makes them
asymmetric as they should be. SE is the jackknife's: leaving out one bad patient shows how much the
number depends on that patient, and no random draws are needed. t has one degree of freedom less
than there are patients.

`effective` is `logit` with the effective sample size as degrees of freedom: (sum of d²)² / (sum of
d⁴) over the patients' deviations d. It is the number of patients where all contribute equally, and
1 where one patient makes all of the difference (Satterthwaite's rule), and at least `FEWEST`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError

TRUSTED = 0.9
"""Coverage from which on an interval of 95 % need not speak of it."""

FEWEST_PATIENTS = 6
"""With fewer, nobody knows what an interval covers: no study of it had less."""

FEW = 2.0
"""Patients below which it is said on how many an interval hangs."""
Statistic: TypeAlias = Callable[[Array], Array]
"""From weights [resample, patient] to a value [resample]; NaN where there is none."""
ROUNDING = 1e-12
"""Differences up to this, relative to the estimate, are rounding and count as none."""
Method: TypeAlias = Literal["percentile", "bca", "logit", "effective"]
Bounds: TypeAlias = tuple[float, float] | None
"""Least and greatest value there can be, where the logit is taken between them."""
FEWEST = 3.0
"""Degrees of freedom of `effective`, at least: with fewer, limits are next to the bounds."""
RESAMPLED: frozenset[Method] = frozenset({"percentile", "bca"})
"""Methods that need draws of patients; the others are the same every time."""


class NoIntervalError(EvaluationError):
    """The patients show no spread to make an interval from; says which and what to do."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, around `estimate`.

    Parameters
    ----------
    method
        `percentile`, `bca`, `logit` or `effective`; see `interval_limits`.
    level
        What the interval is meant to cover.
    patients
        How many it was made from.
    coverage
        What such an interval was found to cover with as many patients (`coverage_of`), None where
        that is not known.
    carried_by
        How many patients the estimate hangs on: leaving these out changes it, None where that is
        not known. Where one or two decide, an interval is wide because they might have been others.
    undefined
        Share of the resamples that had no value, such as one without AF, and were left out.
    """

    low: float
    high: float
    estimate: float
    method: str
    level: float
    patients: int
    coverage: float | None = None
    undefined: float = 0.0
    carried_by: float | None = None

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def describe(self, digits: int = 3) -> str:
        """In words: `0.955 [0.912, 0.981] (95 % interval; covers 86 % with 22 patients)`."""
        said = [f"{100 * self.level:g} % interval"]
        if self.coverage is not None and self.coverage < TRUSTED:
            said.append(f"covers {100 * self.coverage:.0f} % with {self.patients} patients")
        if self.carried_by is not None and self.carried_by < FEW:
            said.append(f"depends on {self.carried_by:.1f} of {self.patients} patients")
        if self.undefined > 0:
            said.append(f"{100 * self.undefined:.1f} % of resamples left out, without a value")
        numbers = f"{self.estimate:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return f"{numbers} ({'; '.join(said)})"

    def __str__(self) -> str:
        return self.describe()


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

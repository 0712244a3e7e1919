"""An interval over subjects: how a number varies with the subjects, and limits that follow.

`percentile` and `bca` are the usual limits of the bootstrap. Near an AUROC of 1 they are too short:
most of the loss comes from few subjects, whom many resamples do not contain.

`logit` is estimate ± t · SE on the logit scale, which keeps limits inside the bounds. SE is the
jackknife's, which needs no random draws. t has (subjects - 1) degrees of freedom.

`effective` is `logit` with the effective sample size as degrees of freedom, at least `FEWEST`:
(sum of d²)² / (sum of d⁴) over the subjects' deviations d (Satterthwaite's rule). It is the number
of subjects where all contribute equally, and 1 where one subject makes all of the difference.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError

TRUSTED = 0.9
"""Intervals whose coverage is lower state it."""

FEWEST_SUBJECTS = 6
"""With fewer subjects the coverage is unknown: the simulation had no less."""

FEW = 2.0
"""Intervals whose effective sample size is lower state it."""

Statistic: TypeAlias = Callable[[Array], Array]
"""From weights [resample, subject] to a value [resample]; NaN where there is none."""

ROUNDING = 1e-12
"""Differences up to this, relative to the estimate, are rounding and count as none."""

Method: TypeAlias = Literal["percentile", "bca", "logit", "effective"]
Bounds: TypeAlias = tuple[float, float] | None
"""Least and greatest value there can be, where the logit is taken between them."""

FEWEST = 3.0
"""Degrees of freedom of `effective`, at least: with fewer, limits are next to the bounds."""

RESAMPLED: frozenset[Method] = frozenset({"percentile", "bca"})
"""Methods that draw subjects; the others are deterministic."""


def weighted_mean(values: Float64[Array, "subject"]) -> Statistic:
    """The mean of one value per subject, as a function of weights."""
    return lambda weights: np.asarray(weights @ values / weights.sum(axis=1))


class NoIntervalError(EvaluationError):
    """The subjects show no spread to make an interval from."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, around `estimate`.

    Parameters
    ----------
    method
        `percentile`, `bca`, `logit` or `effective`; see above.
    level
        Nominal coverage.
    subjects
        Number of subjects.
    coverage
        Coverage found in simulation with as many subjects (`coverage_of`); None where unknown.
    effective_subjects
        Effective sample size: how many subjects decide the width; None where unknown.
    undefined
        Share of the resamples that had no value, such as one without a class, and were left out.
    """

    low: float
    high: float
    estimate: float
    method: str
    level: float
    subjects: int
    coverage: float | None = None
    undefined: float = 0.0
    effective_subjects: float | None = None

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def describe(self, digits: int = 3) -> str:
        """In words: `0.955 [0.912, 0.981] (95 % interval; covers 86 % with 22 subjects)`."""
        parts = [f"{100 * self.level:g} % interval"]
        if self.coverage is not None and self.coverage < TRUSTED:
            parts.append(f"covers {100 * self.coverage:.0f} % with {self.subjects} subjects")
        if self.effective_subjects is not None and self.effective_subjects < FEW:
            parts.append(
                f"effective sample size {self.effective_subjects:.1f} of {self.subjects} subjects"
            )
        if self.undefined > 0:
            parts.append(f"{100 * self.undefined:.1f} % of resamples left out, without a value")
        numbers = f"{self.estimate:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return f"{numbers} ({'; '.join(parts)})"

    def __str__(self) -> str:
        return self.describe()


@dataclass(frozen=True, eq=False, slots=True)
class SubjectSpread:
    """A number, and how it changes with other subjects.

    Parameters
    ----------
    without
        The number without each subject in turn.
    resampled
        The number on subjects drawn with replacement, as many as there are; empty where none were
        drawn. Draws without a value are left out; `undefined` is their share.
    """

    estimate: float
    without: Float64[Array, "subject"]
    resampled: Float64[Array, "resample"]
    undefined: float = 0.0


def spread_over_subjects(
    statistic: Statistic,
    subjects: int,
    *,
    resamples: int = 0,
    generator: np.random.Generator | None = None,
) -> SubjectSpread:
    """Measure without each subject, and on `resamples` draws of subjects with a generator."""
    if subjects < 2:
        raise NoIntervalError(
            f"{subjects} subject(s); an interval over subjects needs at least 2, add subjects"
        )
    estimate = float(statistic(np.ones((1, subjects)))[0])
    without = statistic(1.0 - np.eye(subjects))
    missing = np.flatnonzero(np.isnan(without))
    if np.isnan(estimate) or missing.size:
        who = f"subject {missing[0]} (counted from 0)" if missing.size else "more"
        raise NoIntervalError(
            f"nothing to measure without {who} of {subjects} subjects; an interval needs at least "
            "2 subjects with each class"
        )
    if np.ptp(without) <= ROUNDING * max(abs(estimate), np.abs(without).max()):
        raise NoIntervalError(
            f"{subjects} subjects and {estimate:g} without any one of them; what does not differ "
            "between subjects has no interval, report the number alone"
        )
    if generator is None or not resamples:
        return SubjectSpread(estimate, without, np.empty(0))
    weights = generator.multinomial(subjects, np.full(subjects, 1 / subjects), size=resamples)
    drawn = statistic(weights.astype(np.float64))
    valid = drawn[~np.isnan(drawn)]
    return SubjectSpread(estimate, without, valid, 1 - valid.size / resamples)


def percentile_limits(spread: SubjectSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """Quantiles of the resampled values."""
    low, high = np.quantile(spread.resampled, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca_limits(spread: SubjectSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """Quantiles corrected for bias and for a spread that changes with the value (Efron, 1987)."""
    from scipy.special import ndtr, ndtri

    drawn, estimate = spread.resampled, spread.estimate
    below = (np.mean(drawn < estimate) + np.mean(drawn <= estimate)) / 2
    least = 1 / (2 * drawn.size)
    bias = ndtri(np.clip(below, least, 1 - least))
    deviations = spread.without.mean() - spread.without
    acceleration = np.sum(deviations**3) / (6 * np.sum(deviations**2) ** 1.5)
    z = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    scale = 1 - acceleration * z
    # Beyond the pole of the correction, the limit is the outermost draw.
    moved = np.where(scale > 0, bias + z / np.where(scale > 0, scale, 1.0), np.sign(z) * np.inf)
    low, high = np.quantile(drawn, ndtr(moved))
    return float(low), float(high)


def logit_limits(spread: SubjectSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """Estimate ± t · SE on the logit, t with (subjects - 1) degrees of freedom."""
    return _student(spread, level, bounds, lambda deviations: float(len(deviations) - 1))


def effective_limits(spread: SubjectSpread, level: float, bounds: Bounds) -> tuple[float, float]:
    """As `logit`, t with the number of subjects who carry the spread."""
    return _student(spread, level, bounds, effective_freedom)


def effective_freedom(deviations: Float64[Array, "subject"]) -> float:
    """Degrees of freedom: the effective sample size, from `FEWEST` to one less than all."""
    most = float(len(deviations) - 1)
    return min(max(carrying_subjects(deviations), min(FEWEST, most)), most)


def carrying_subjects(deviations: Float64[Array, "subject"]) -> float:
    """Effective sample size: all subjects where all count alike, 1 where one decides."""
    squares = (deviations / np.abs(deviations).max()) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum())


def student_quantile(freedom: float, level: float) -> float:
    """Half the width of an interval in standard errors."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


LIMITS: Mapping[Method, Callable[[SubjectSpread, float, Bounds], tuple[float, float]]] = {
    "percentile": percentile_limits,
    "bca": bca_limits,
    "logit": logit_limits,
    "effective": effective_limits,
}


def _student(
    spread: SubjectSpread,
    level: float,
    bounds: Bounds,
    freedom: Callable[[Float64[Array, "subject"]], float],
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
        # A value at a bound has no logit: what one subject can change is taken to end at a small
        # part of the estimate's own distance from it.
        part = 1 / (2 * len(spread.without))
        above = np.maximum(values - low, part * (spread.estimate - low))
        under = np.maximum(high - values, part * (high - spread.estimate))
        return np.asarray(np.log(above) - np.log(under))

    without = logit(spread.without)
    deviations = without - without.mean()
    subjects = len(deviations)
    error = np.sqrt((subjects - 1) / subjects * np.sum(deviations**2))
    reach = student_quantile(freedom(deviations), level) * error
    centre = logit(np.array([spread.estimate]))[0]
    ends = np.array([centre - reach, centre + reach])
    if bounds is not None:
        ends = low + (high - low) * (0.5 + 0.5 * np.tanh(ends / 2))
    return float(ends[0]), float(ends[1])

"""An interval around a number measured on patients, and what is known of its coverage."""

from dataclasses import dataclass

from pacl.evaluation.errors import EvaluationError

TRUSTED = 0.9
"""Coverage from which on an interval of 95 % need not speak of it."""

FEWEST_PATIENTS = 6
"""With fewer, nobody knows what an interval covers: no study of it had less."""

FEW = 2.0
"""Patients below which it is said on how many an interval hangs."""


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

"""Intervals of how well AF is detected: patients are the unit, not seconds, not episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect.scoring import LEAST_SCORE, MEASURES, Agreement, Measure
from pacl.evaluation.interval import Bounds, Interval, NoIntervalError
from pacl.evaluation.intervals import LEVEL, interval_over_patients, mean_interval

LEAST: Mapping[Measure, float] = {
    "false_alarms_per_day": 0.0,
    "false_alarms_per_day_without_af": 0.0,
    "cpsc2021_score": LEAST_SCORE,
}
"""Measures that are no shares, and the least they can be: there is no greatest. Their intervals are
taken on the values as they are, and end there."""


@dataclass(frozen=True, slots=True)
class RatioIntervals:
    """Intervals of a measure's gross and average value; None where patients show no spread."""

    gross: Interval | None
    average: Interval | None


def rhythm_intervals(
    patients: Sequence[Agreement], *, level: float = LEVEL
) -> dict[Measure, RatioIntervals]:
    """Intervals of every measure, over the patients who have a value of it.

    A gross value is a ratio of two sums: leaving out a patient takes him from both.
    """
    return {
        measure: RatioIntervals(
            gross=_gross(_having(patients, measure), level, LEAST.get(measure)),
            average=_average(_having(patients, measure), level, LEAST.get(measure)),
        )
        for measure in MEASURES
    }


def _having(patients: Sequence[Agreement], measure: Measure) -> Float64[Array, "patient 2"]:
    """What the measure divides and by what, of the patients in whom that is not 0."""
    parts = np.array([one.parts(measure) for one in patients], dtype=np.float64).reshape(-1, 2)
    having: Float64[Array, "patient 2"] = parts[parts[:, 1] > 0]
    return having


def _gross(
    parts: Float64[Array, "patient 2"], level: float, least: float | None
) -> Interval | None:
    def ratio(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
        above, below = (weights @ parts).T
        return np.asarray(above / below)

    try:
        found = interval_over_patients(ratio, len(parts), level=level, bounds=_bounds(least))
    except NoIntervalError:
        return None
    return _from(least, found)


def _average(
    parts: Float64[Array, "patient 2"], level: float, least: float | None
) -> Interval | None:
    try:
        found = mean_interval(parts[:, 0] / parts[:, 1], level=level, bounds=_bounds(least))
    except NoIntervalError:
        return None
    return _from(least, found)


def _bounds(least: float | None) -> Bounds:
    return (0.0, 1.0) if least is None else None


def _from(least: float | None, found: Interval) -> Interval:
    return found if least is None else replace(found, low=max(found.low, least))

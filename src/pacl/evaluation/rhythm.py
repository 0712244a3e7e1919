"""Intervals of how well AF is detected: patients are the unit, not seconds, not episodes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect.rhythm_agreement import MEASURES, Agreement, Measure
from pacl.evaluation.interval import Interval, NoIntervalError
from pacl.evaluation.intervals import LEVEL, interval_over_patients, mean_interval


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
            gross=_gross(_having(patients, measure), level),
            average=_average(_having(patients, measure), level),
        )
        for measure in MEASURES
    }


def _having(patients: Sequence[Agreement], measure: Measure) -> Float64[Array, "patient 2"]:
    """What the measure divides and by what, of the patients in whom that is not 0."""
    parts = np.array([one.parts(measure) for one in patients], dtype=np.float64).reshape(-1, 2)
    having: Float64[Array, "patient 2"] = parts[parts[:, 1] > 0]
    return having


def _gross(parts: Float64[Array, "patient 2"], level: float) -> Interval | None:
    def ratio(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
        above, below = (weights @ parts).T
        return np.asarray(above / below)

    try:
        return interval_over_patients(ratio, len(parts), level=level, bounds=(0.0, 1.0))
    except NoIntervalError:
        return None


def _average(parts: Float64[Array, "patient 2"], level: float) -> Interval | None:
    try:
        return mean_interval(parts[:, 0] / parts[:, 1], level=level)
    except NoIntervalError:
        return None

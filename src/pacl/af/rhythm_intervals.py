"""Intervals of how well AF is detected: patients are the unit, not seconds, not episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect.scoring import LEAST_SCORE, MEASURES, Agreement, Measure
from pacl.evaluation import (
    LEVEL,
    Interval,
    NoIntervalError,
    Statistic,
    interval_over_subjects,
    weighted_mean,
)

LEAST: Mapping[Measure, float] = {
    "false_alarms_per_day": 0.0,
    "false_alarms_per_day_without_af": 0.0,
    "cpsc2021_score": LEAST_SCORE,
}
"""Measures without an upper bound, and their lower bound, where their intervals end."""


@dataclass(frozen=True, slots=True)
class RatioIntervals:
    """Intervals of a measure's gross and average value; None where patients show no spread."""

    gross: Interval | None
    average: Interval | None


def rhythm_intervals(
    patients: Sequence[Agreement], *, level: float = LEVEL
) -> dict[Measure, RatioIntervals]:
    """Intervals of all measures, over the patients who have a value."""
    return {measure: _intervals(patients, measure, level) for measure in MEASURES}


def _intervals(patients: Sequence[Agreement], measure: Measure, level: float) -> RatioIntervals:
    parts = np.array([one.parts(measure) for one in patients], dtype=np.float64).reshape(-1, 2)
    parts = parts[parts[:, 1] > 0]
    least = LEAST.get(measure)

    def gross(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
        """A ratio of two sums: leaving out a patient changes both."""
        above, below = (weights @ parts).T
        return np.asarray(above / below)

    def interval(statistic: Statistic) -> Interval | None:
        bounds = (0.0, 1.0) if least is None else None
        try:
            found = interval_over_subjects(statistic, len(parts), level=level, bounds=bounds)
        except NoIntervalError:
            return None
        return found if least is None else replace(found, low=max(found.low, least))

    return RatioIntervals(interval(gross), interval(weighted_mean(parts[:, 0] / parts[:, 1])))

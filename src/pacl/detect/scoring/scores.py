"""Performance over several patients: gross and average, as in ANSI/AAMI EC57.

Gross: the seconds, beats, segments or episodes of all patients in one fraction; patients with much
AF have the largest weight. Average: the mean of the patients' values, over those who have one.
Intervals over patients are in `pacl.af.rhythm_intervals`, which needs the training extra.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pacl.detect.not_judged import DetectError
from pacl.detect.scoring.agreement import MEASURES, Agreement, Measure
from pacl.detect.scoring.endpoints import ENDS, End

LENGTH_EDGES_S = (0.0, 30.0, 120.0, 300.0, 1800.0, math.inf)
"""Classes of true episodes by length. Each edge belongs to the class above it."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """One measure over the `patients` who have a value; None where there are none."""

    gross: float | None
    average: float | None
    patients: int


@dataclass(frozen=True, slots=True)
class Quartiles:
    """Median and quartiles of values; None where there are none."""

    median: float | None
    lower_quartile: float | None
    upper_quartile: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Quartiles":
        """Quartiles of values."""
        if not values:
            return cls(None, None, None)
        lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        return cls(median, lower, upper)


@dataclass(frozen=True, slots=True)
class BurdenError:
    """Absolute errors of AF burden over patients, in percentage points of counted time."""

    quartiles: Quartiles
    mean: float
    patients: int


@dataclass(frozen=True, slots=True)
class EndErrors:
    """Called minus true onset, or offset, over the true episodes that were found and have one."""

    episodes: int
    seconds: Quartiles
    beats: Quartiles


@dataclass(frozen=True, slots=True)
class CpscMeans:
    """Mean CPSC2021 score over recordings and its two parts; None where no recording has one."""

    score: float | None
    rhythm: float | None
    endpoints: float | None
    records: int


@dataclass(frozen=True, slots=True)
class LengthClass:
    """True episodes of `low_s` up to, but not including, `high_s`, and the number found."""

    low_s: float
    high_s: float
    episodes: int
    found: int

    @property
    def sensitivity(self) -> float | None:
        """Share of episodes found."""
        return self.found / self.episodes if self.episodes else None


@dataclass(frozen=True, slots=True)
class RhythmScores:
    """Performance over all patients.

    Parameters
    ----------
    total
        Sum of all patients' counts.
    burden_error
        Over patients with any counted time.
    false_af_h_per_day
        Hours called AF in 24 hours without AF; None where there is no time without AF.
    """

    total: Agreement
    ratios: Mapping[Measure, Ratio]
    burden_error: BurdenError
    by_length: tuple[LengthClass, ...]
    false_af_h_per_day: float | None
    end_errors: Mapping[End, EndErrors]
    cpsc: CpscMeans

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        error = self.burden_error
        return {
            "patients": error.patients,
            "patients_with_af": self.ratios["duration_sensitivity"].patients,
            "counted_h": self.total.counted_s / 3600,
            "true_af_h": self.total.af_s / 3600,
            "called_af_h": self.total.called_s / 3600,
            "measures": {name: asdict(one) for name, one in self.ratios.items()},
            "burden_error_points": {**asdict(error.quartiles), "mean": error.mean},
            "episode_sensitivity_by_length": [
                {
                    "from_s": one.low_s,
                    "below_s": one.high_s if math.isfinite(one.high_s) else None,
                    "episodes": one.episodes,
                    "found": one.found,
                    "sensitivity": one.sensitivity,
                }
                for one in self.by_length
            ],
            "false_af_h_per_day": self.false_af_h_per_day,
            "false_episodes": self.total.false_episodes,
            **{f"{end}_error": asdict(one) for end, one in self.end_errors.items()},
            "cpsc2021": asdict(self.cpsc),
        }


def rhythm_scores(patients: Sequence[Agreement]) -> RhythmScores:
    """Score a detector over patients; each has the same weight in an average.

    Patients without counted time are left out. It is an error if all are.
    """
    errors = [one.burden_error for one in patients if one.burden_error is not None]
    if not errors:
        raise DetectError(
            f"none of {len(patients)} patients has time that is both annotated and judged; give "
            "recordings with rhythm annotations and enough beats in a row (60 for af-beats)"
        )
    total = sum(patients, start=Agreement())
    without_af_s = total.counted_s - total.af_s
    return RhythmScores(
        total=total,
        ratios={measure: _ratio(patients, total, measure) for measure in MEASURES},
        burden_error=BurdenError(Quartiles.of(errors), float(np.mean(errors)), len(errors)),
        by_length=tuple(_class(total, low, high) for low, high in pairwise(LENGTH_EDGES_S)),
        false_af_h_per_day=(
            24 * (total.called_s - total.both_s) / without_af_s if without_af_s > 0 else None
        ),
        end_errors={end: _end_errors(total, end) for end in ENDS},
        cpsc=_cpsc(total),
    )


def _ratio(patients: Sequence[Agreement], total: Agreement, measure: Measure) -> Ratio:
    values = [value for one in patients if (value := one.value(measure)) is not None]
    average = math.fsum(values) / len(values) if values else None
    return Ratio(total.value(measure), average, len(values))


def _class(total: Agreement, low_s: float, high_s: float) -> LengthClass:
    of = [one for one in total.true_episodes if low_s <= one.duration_s < high_s]
    return LengthClass(low_s, high_s, len(of), sum(one.found for one in of))


def _end_errors(total: Agreement, end: End) -> EndErrors:
    ends = [one.onset if end == "onset" else one.offset for one in total.true_episodes]
    seen = [one for one in ends if one is not None]
    return EndErrors(
        episodes=len(seen),
        seconds=Quartiles.of([one.seconds for one in seen]),
        beats=Quartiles.of([float(one.beats) for one in seen if one.beats is not None]),
    )


def _cpsc(total: Agreement) -> CpscMeans:
    records = len(total.cpsc)
    if not records:
        return CpscMeans(None, None, None, 0)
    rhythm = math.fsum(one.rhythm for one in total.cpsc) / records
    endpoints = math.fsum(one.endpoints for one in total.cpsc) / records
    return CpscMeans(rhythm + endpoints, rhythm, endpoints, records)

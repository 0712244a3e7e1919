"""How a text file is to be read, where the file leaves it open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from pacl.records.errors import ValueRangeError
from pacl.records.rhythm import Rhythm
from pacl.records.text.values import Unit

_RATES_HZ = (1.0, 1e6)


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How a text file is to be read, where the file leaves it open.

    Parameters
    ----------
    column, time_column, rhythm_column
        Columns by name or by number counting from 1, where they are not found by their names.
        `column` holds intervals or beat times. `""` for the last two reads without times or
        rhythms.
    patient_column
        Column of the patient, which divides a file into recordings; `""` divides by no column.
    valid_column
        Column in which 1 or true marks a valid interval; with `""` all intervals are valid.
    unit
        Unit of the intervals or beat times; `"auto"` depends on the column's name and the median.
    rhythms
        Additional labels, or other meanings of the usual labels.
    allow_zero
        Keep intervals of 0 instead of refusing them.
    allow_smoothed
        Read intervals that look resampled, averaged or computed from heart rate.
    start
        When the recording began, in ISO 8601, for a single recording without a clock.
    sampling_rate
        Samples per second, where beat times are numbers of samples.
    """

    column: str | int | None = None
    time_column: str | int | None = None
    rhythm_column: str | int | None = None
    patient_column: str | int | None = None
    valid_column: str | int | None = None
    unit: Unit = "auto"
    rhythms: Mapping[str, Rhythm] | None = None
    allow_zero: bool = False
    allow_smoothed: bool = False
    start: str | None = None
    sampling_rate: float | None = None

    def check(self, source: str) -> None:
        """Refuse a unit or a sampling rate that is none."""
        if self.unit not in get_args(Unit):
            raise ValueRangeError(
                source, f"unit {self.unit!r} asked for", 'use "auto", "ms" or "s"'
            )
        rate, (low, high) = self.sampling_rate, _RATES_HZ
        if rate is not None and not low <= rate <= high:
            raise ValueRangeError(
                source,
                f"a sampling rate of {rate:g} Hz, expected {low:g} to {high:,.0f}",
                "give samples per second (--sampling-rate)",
            )

"""A recording of intervals in memory: a list, an array, a column of a table."""

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.content import digest
from pacl.records.errors import ValueRangeError
from pacl.records.record import Record, check_rr
from pacl.records.rhythm import Rhythm, Span
from pacl.records.text import MS_PER, Unit, check_beat_to_beat, no_unit, only_rises, units_by_median

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SOURCE = "intervals"


def record_from_rr(
    rr: "ArrayLike", unit: Unit = "auto", record_id: str = SOURCE, *, allow_smoothed: bool = False
) -> Record:
    """Make a recording of plain RR intervals above 0, without clock or rhythms.

    The unit `"auto"` depends on the median, as for text files. `allow_smoothed` accepts intervals
    that look resampled, averaged or computed from heart rate.

    Examples
    --------
    >>> record_from_rr([0.81, 0.79, 0.8]).rr_ms
    array([810., 790., 800.], dtype=float32)
    """
    if unit not in get_args(Unit):
        raise ValueRangeError(SOURCE, f"unit {unit!r} asked for", 'use "auto", "ms" or "s"')
    values = _numbers(rr)
    if unit == "auto":
        median, fitting = units_by_median(values)
        if not fitting:
            raise no_unit(median, SOURCE)
        unit = "ms" if fitting[0] == "ms" else "s"
    rr_ms = values * MS_PER[unit]
    if not allow_smoothed:
        check_beat_to_beat(rr_ms, SOURCE)
    return Record(
        patient_id=record_id,
        record_id=record_id,
        rr_ms=rr_ms.astype(np.float32),
        file_starts=np.zeros(1, dtype=np.int64),
        file_onset_s=np.zeros(1),
        spans=(Span(0, values.size, Rhythm.UNKNOWN),),
        digest=digest([("rr", values.tobytes())]),
        source=record_id,
    )


def _numbers(rr: "ArrayLike") -> Float64[Array, "beat"]:
    """Intervals as numbers; what cannot be intervals is refused, with its place."""
    try:
        given: np.ndarray[Any, Any] = np.asarray(rr)
    except ValueError:  # rows of different lengths
        given = np.empty((0, 0))
    if given.ndim != 1 or given.dtype.kind not in "iuf" or not given.size:
        shown = f"{given.dtype} of shape {given.shape}"
        raise ValueRangeError(
            SOURCE,
            f"expected RR intervals, a list or an array of numbers in one dimension, got {shown}",
            "give the intervals of one recording; read a file with pacl.records.open_records",
        )
    values = given.astype(np.float64)
    if np.ma.isMaskedArray(rr):
        values[np.ma.getmaskarray(rr)] = np.nan
    check_rr(values, SOURCE)
    if (values == 0).any():
        raise ValueRangeError(
            SOURCE,
            f"beat {int(np.argmin(values))} is 0, often a mark for a lost beat",
            "repair or remove it",
        )
    if only_rises(values):
        raise ValueRangeError(
            SOURCE,
            f"the values only rise, from {values[0]:g} to {values[-1]:g}: these look like beat "
            "times, not intervals",
            "give their differences, as numpy.diff does",
        )
    return values

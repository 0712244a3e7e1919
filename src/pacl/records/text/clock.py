"""Whether a clock and the intervals beside it can be of the same beats."""

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.records.errors import ValueRangeError

SHORTER, LONGER = 0.10, 0.25
"""By which share the clock may run below and above the sum of the intervals. It runs above it where
beats were lost; nothing makes it run below."""

SLACK_S = 10.0
"""A difference up to this is always allowed."""

_GRID_ROWS = 60
_GRID_SHARE = 0.99
_VARYING = 0.03
_TOGETHER = 1.5
_SAME_MS, _SAME_SHARE, _SAME_ROWS = 20.0, 0.02, 0.25
_REMEDY = (
    "export the beat-to-beat RR intervals with the time of each beat, not a resampled tachogram; "
    "to read the intervals without the times, give time_column='' (--time-column '')"
)


def check_clock(
    steps_ms: Float64[Array, "step"],
    intervals_ms: Float64[Array, "step"],
    jumps: Bool[Array, "step"],
    column: str,
    source: str,
) -> None:
    """Refuse times that contradict the intervals: another duration, or an even grid.

    `steps_ms` is the time from each row to the next, `intervals_ms` its interval. `jumps`, in which
    the recording paused, are left out. `column` and `source` are for messages.
    """
    steps, intervals = steps_ms[~jumps], intervals_ms[~jumps]
    if _is_grid(steps, intervals):
        raise ValueRangeError(
            source,
            f"time moves by {np.median(steps):g} ms from row to row in column {column}, with "
            "any interval: the intervals were resampled",
            _REMEDY,
        )
    same = np.abs(steps - intervals) <= np.maximum(_SAME_MS, _SAME_SHARE * intervals)
    if np.count_nonzero(same) >= _SAME_ROWS * same.size:
        return  # a wrist sensor leaves out many beats between those that it is sure of
    clock_s, intervals_s = float(steps.sum()) / 1000, float(intervals.sum()) / 1000
    allowed_s = max(SLACK_S, intervals_s * (LONGER if clock_s > intervals_s else SHORTER))
    if abs(clock_s - intervals_s) > allowed_s:
        raise ValueRangeError(
            source,
            f"{_duration(clock_s)} pass by column {column}, pauses apart, but the intervals add up "
            f"to {_duration(intervals_s)}: they are not the intervals between these times",
            _REMEDY,
        )


def _is_grid(steps: Float64[Array, "step"], intervals: Float64[Array, "step"]) -> bool:
    """Whether time moves evenly while the intervals vary.

    A clock of whole seconds does so at 60 beats a minute; then both stay together all the time.
    """
    if steps.size < _GRID_ROWS:
        return False
    step, interval = float(np.median(steps)), float(np.median(intervals))
    even = np.mean(np.abs(steps - step) <= max(1.0, 0.01 * step))
    low, high = np.quantile(intervals, [0.1, 0.9])
    apart = np.abs(np.cumsum(intervals - steps)).max()
    varies = high - low > _VARYING * interval
    return bool(even >= _GRID_SHARE and varies and apart > _TOGETHER * step)


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:.2f} h" if seconds >= 3600 else f"{seconds:.0f} s"

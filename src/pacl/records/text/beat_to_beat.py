"""Whether intervals are beat to beat, or resampled, averaged, or made from heart rate.

Neighbouring intervals of a real heart differ at random: by a few ms in sinus rhythm, by 100 ms in
AF. Interpolating, averaging and rounding to whole beats per minute each take that away and leave a
trace, which is searched for here. All numbers below were chosen on real recordings:
see "Intervals that are not beat to beat" on the page on recordings.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.errors import ValueRangeError
from pacl.records.record import PLAUSIBLE_MS

FEWEST_BEATS = 200
"""Fewer intervals are not looked at: chance alone can make them smooth."""

_SEGMENT, _WINDOW = 256, 128
_LONG_SEGMENT, _LONG_WINDOW = 1024, 512
_SHORT_MEANS, _LONG_MEANS = range(3, 11), range(11, 31)
_MOST_BEATS = 16_384  # enough to represent a day
_TINY = 1e-12
_EXPORT = (
    "export the beat-to-beat RR intervals, not a resampled or averaged tachogram; to read it as it "
    "is, give allow_smoothed=True (--allow-smoothed)"
)


@dataclass(frozen=True, slots=True)
class _Limits:
    """Limits for recordings of at least `segments` segments; beyond them a recording is refused.

    `share` of the segments have to be beyond a limit, and `held` of them beyond that of `hold`.

    `fast` is the power of the fastest changes, above 0.4 cycles per beat: the larger of its ratios
    to the power of all changes and to that between 0.1 and 0.25 cycles per beat. `fast_in_af` takes
    its place, if higher, where intervals are as short and as irregular as those of fast AF: there
    breathing cannot be the reason. `bend` is the mean second difference against the mean first, and
    counts where the former ratio is below `fast_if_bent`. `hold` is how much more often an interval
    repeats the one before than its resolution explains. `notch` is the mean depth, as a natural
    logarithm, of the notches that a running mean over 3, 4, 5 to 8, and 9 or more beats leaves in
    the spectrum: the more notches, the less likely by chance. In some patients every fourth beat is
    early.
    """

    segments: int
    share: float
    fast: float
    fast_in_af: float
    fast_if_bent: float
    bend: float
    held: float
    hold: float
    notch: tuple[float, float, float, float]


_NEVER = -np.inf
_LIMITS = (
    _Limits(32, 0.5, 0.024, 0.05, 0.04, 0.80, 0.1, 0.12, (-1.4, -2.8, -1.2, -0.9)),
    _Limits(8, 0.5, 0.020, 0.05, 0.04, 0.80, 0.5, 0.10, (-1.6, _NEVER, -1.7, -1.2)),
    _Limits(2, 1.0, 0.015, 0.00, 0.03, 0.75, 1.0, 0.20, (-3.4, _NEVER, -2.6, -1.9)),
    _Limits(1, 1.0, 0.010, 0.00, 0.02, 0.70, 1.0, 0.30, (-4.2, _NEVER, -3.6, -2.6)),
)
_AF_MEAN_MS, _AF_STEP = 600.0, 0.07


def check_beat_to_beat(rr_ms: Float64[Array, "beat"], source: str) -> None:
    """Refuse intervals that were resampled, averaged, held, or computed from heart rate."""
    low, high = PLAUSIBLE_MS
    found = not_beat_to_beat(rr_ms[(rr_ms >= low) & (rr_ms <= high)])
    if found:
        raise ValueRangeError(source, f"these intervals {found}", _EXPORT)


def not_beat_to_beat(rr_ms: Float64[Array, "beat"]) -> str:
    """Why intervals are not beat to beat; empty where they may be."""
    if rr_ms.size < FEWEST_BEATS:
        return ""
    if _on_heart_rate_grid(rr_ms):
        return "are 60,000 divided by whole numbers: they were computed from heart rate"
    segments = _segments(rr_ms, _SEGMENT)
    segments = segments[np.ptp(segments, axis=1) > 0]  # a metronome is refused by none of these
    if not len(segments):
        return ""
    limits = next(one for one in _LIMITS if len(segments) >= one.segments)
    power = _power(segments, _WINDOW)
    if _is_smooth(segments, power, limits):
        return "change too smoothly from one to the next: they were resampled or smoothed"
    if np.quantile(_hold(segments), 1 - limits.held) > limits.hold:
        return "repeat too often: they were held or passed through a running median"
    for beats, depth in _notches(rr_ms, power):
        limit = limits.notch[{3: 0, 4: 1}.get(beats, 2 if beats < 9 else 3)]
        if np.quantile(depth, limits.share) < limit:
            return f"are running means over {beats} beats"
    return ""


def _segments(rr_ms: Float64[Array, "beat"], beats: int) -> Float64[Array, "segment within"]:
    """Cut into segments, and take some of them, evenly spread, of a long recording."""
    beats = min(beats, rr_ms.size)
    found = rr_ms[: rr_ms.size // beats * beats].reshape(-1, beats)
    return found[:: -(-found.size // _MOST_BEATS)]


def _power(
    segments: Float64[Array, "segment within"], window: int
) -> Float64[Array, "segment frequency"]:
    """Spectrum of each segment: the median over its windows, which overlap by half."""
    parts = np.lib.stride_tricks.sliding_window_view(segments, window, axis=1)[:, :: window // 2]
    at = np.arange(window) - (window - 1) / 2
    parts = parts - parts.mean(axis=2, keepdims=True)
    parts -= (parts @ at / (at @ at))[:, :, None] * at
    power = np.abs(np.fft.rfft(parts * np.hanning(window + 2)[1:-1], axis=2)) ** 2
    power /= power[:, :, 2:].mean(axis=2, keepdims=True) + 1e-9
    found: Float64[Array, "segment frequency"] = np.median(power, axis=1)
    return found


def _is_smooth(
    segments: Float64[Array, "segment within"],
    power: Float64[Array, "segment frequency"],
    limits: _Limits,
) -> bool:
    """Whether the fastest changes are missing, as they are where intervals were interpolated."""
    frequency = np.arange(power.shape[1]) / _WINDOW
    each = power[:, frequency >= 0.4].mean(axis=1)
    middle = power[:, (frequency >= 0.1) & (frequency <= 0.25)].mean(axis=1)
    fast = np.quantile(each, limits.share)
    to_middle = np.quantile(each / (middle + _TINY), limits.share)
    first = np.diff(segments, axis=1)
    size = np.abs(first).mean(axis=1) + _TINY
    bend = np.quantile(np.abs(np.diff(first, axis=1)).mean(axis=1) / size, limits.share)
    mean_ms = segments.mean(axis=1)
    like_af = np.median(mean_ms) < _AF_MEAN_MS and np.median(size / mean_ms) > _AF_STEP
    return bool(
        max(fast, to_middle) < max(limits.fast, limits.fast_in_af if like_af else 0)
        or (fast < limits.fast_if_bent and bend < limits.bend)
    )


def _hold(segments: Float64[Array, "segment within"]) -> Float64[Array, "segment"]:
    """Share of intervals equal to the one before, beyond what their resolution explains.

    The commonest interval is left out: a pacemaker repeats it.
    """
    steps = np.abs(np.diff(segments, axis=1))
    found = np.full(len(segments), -1.0)
    if (steps == 0).mean() < 0.02:
        return found
    for at, (values, step) in enumerate(zip(segments, steps, strict=True)):
        unique, count = np.unique(values, return_counts=True)
        if unique.size > 2:
            resolution = float(np.diff(unique).min())
            away = np.abs(values[:-1] - unique[count.argmax()]) > 2 * resolution
            equal = float(np.count_nonzero((step == 0) & away)) / max(float(away.sum()), 20.0)
            found[at] = equal - resolution / float(np.median(step[step > 0]))
    return found


def _notches(
    rr_ms: Float64[Array, "beat"], power: Float64[Array, "segment frequency"]
) -> Iterator[tuple[int, Float64[Array, "segment"]]]:
    """How deep the spectrum is at multiples of 1/beats, where a running mean lets nothing pass.

    A mean over 5 beats lets nothing pass at 0.2 and 0.4 cycles per beat.
    """
    for beats in _SHORT_MEANS:
        yield beats, _depth(power, _WINDOW, beats)
    if rr_ms.size >= 2 * _LONG_SEGMENT:
        power = _power(_segments(rr_ms, _LONG_SEGMENT), _LONG_WINDOW)
        for beats in _LONG_MEANS:
            yield beats, _depth(power, _LONG_WINDOW, beats)


def _depth(
    power: Float64[Array, "segment frequency"], window: int, beats: int
) -> Float64[Array, "segment"]:
    rising = (2 * np.sin(np.pi * np.arange(power.shape[1]) / window)) ** 2  # power of the steps
    steps = power * rising + _TINY
    notch = np.arange(1, (beats + 1) // 2) / beats

    def at(frequency: Float64[Array, "notch"]) -> Float64[Array, "segment notch"]:
        below = np.floor(frequency * window + 1e-9).astype(np.int64)
        share = frequency * window - below
        above = np.minimum(below + 1, power.shape[1] - 1)
        found: Float64[Array, "segment notch"] = (1 - share) * steps[:, below]
        found += share * steps[:, above]
        return found

    beside = np.minimum(at(notch - 0.5 / beats), at(notch + 0.5 / beats))
    depth: Float64[Array, "segment"] = np.log(at(notch) / beside).mean(axis=1)
    return depth


def _on_heart_rate_grid(rr_ms: Float64[Array, "beat"]) -> bool:
    """Whether 99 % of the intervals are 60,000 ms divided by whole numbers, and not by chance."""
    resolution = next(
        (
            one
            for one in (10, 1, 0.1, 0.01)
            if np.abs(rr_ms / one - np.rint(rr_ms / one)).max() < 1e-3
        ),
        0.001,
    )
    distance = np.abs(rr_ms - 60_000 / np.rint(60_000 / rr_ms))
    unique = np.unique(rr_ms)
    by_chance = np.minimum(1, resolution * 60_000 / unique**2).mean()
    on_grid = np.mean(distance <= 0.5005 * resolution)
    return bool(unique.size >= 10 and by_chance <= 0.4 and on_grid >= 0.99)

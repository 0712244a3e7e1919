"""Times of samples in text: how many come in a second, and where recording paused."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64
from pacl.records.errors import FormatError, ValueRangeError

RATES_HZ = (20.0, 20_000.0)
"""Sampling rates that an ECG may have."""

_PLAUSIBLE_HZ = (50.0, 4_000.0)  # less than a factor of 1000 apart, so that one unit fits at most
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_UNITS = {
    **{unit: unit for unit in _SECONDS},
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("µs", "μs", "usec", "microseconds"), "us"),
}
_GAP_SAMPLES = 4
_BLOCK = 256
_NEAR = 0.02
_FAR = 0.05
_SETTLED_S = 60.0
_MOST_JUMPS = 100_000


@dataclass(frozen=True, slots=True)
class Pace:
    """Samples per second, and the contiguous parts: first sample and second of each."""

    fs_hz: float
    starts: Int64[Array, "part"]
    onset_s: Float64[Array, "part"]


def seconds_per(unit: str) -> float | None:
    """Seconds in one of a unit of time; nothing where it is none."""
    return _SECONDS.get(_UNITS.get(unit.strip().lower(), ""))


def in_seconds(
    times: Float64[Array, "sample"], unit: str, fs_hz: float | None
) -> Float64[Array, "sample"] | None:
    """Seconds since the first sample; nothing where the numbers may only count the samples.

    A unit that is not stated is the one that gives the rate that is known, else the one that gives
    50 to 4000 samples per second.
    """
    steps = np.diff(times[:100_000])
    if not steps.size:
        return None
    known = seconds_per(unit)
    if known is None:
        step = float(np.median(steps)) or float(steps.mean())
        if (steps == 1).all() or not step > 0:
            return None
        low, high = _PLAUSIBLE_HZ if fs_hz is None else (fs_hz / 2, fs_hz * 2)
        fitting = (one for one in _SECONDS.values() if low <= 1 / (step * one) <= high)
        known = next(fitting, None)
        if known is None:
            return None
    found: Float64[Array, "sample"] = (times - times[0]) * known
    return found


def pace_of(at_s: Float64[Array, "sample"], fs_hz: float | None, title: str, source: str) -> Pace:
    """Rate and gaps of samples from their times.

    Samples that came in one packet may share a time. Then packets are looked at: time that passes
    from one to the next against the samples of one. A gap is time that passed without samples and
    that later samples do not make up for within a minute; a packet that is late, before others that
    come the sooner, is none. A gap has more than four samples, or more than half a packet.

    Parameters
    ----------
    at_s
        Time of each sample.
    fs_hz
        The rate that was given or stated; a clock that contradicts it by 5 % is refused.
    title, source
        Column and file, for messages.
    """
    if not np.isfinite(at_s).all():
        raise ValueRangeError(source, f"a time is missing in {title}", "repair the column of times")
    steps = np.diff(at_s)
    if not steps.size or at_s[-1] <= at_s[0]:
        raise FormatError(source, f"time stands still in {title}", "give --sampling-rate")
    first, packet_s, packet = np.arange(at_s.size), at_s, 1.0
    rate_hz = _rate(steps, np.ones(steps.size, np.float32))
    in_packets = steps < 0.2 / rate_hz
    if in_packets.mean() > 0.3:
        first = np.append(0, np.flatnonzero(~in_packets) + 1)
        packet_s = at_s[first]
        packet = float(np.median(np.diff(np.append(first, at_s.size))))
        if first.size > 2:
            rate_hz = _rate(np.diff(packet_s), np.diff(first).astype(np.float32))
    _check(steps, rate_hz, fs_hz, title, source)
    del steps, in_packets  # of a day they are large
    lag_s = first / rate_hz
    np.subtract(packet_s, lag_s, out=lag_s)
    gaps, lags_s = _gaps(lag_s, packet_s, max(_GAP_SAMPLES, packet / 2) / rate_hz, source)
    fs_hz = fs_hz or float(f"{rate_hz:.6g}")
    starts = first[np.append(0, gaps)].astype(np.int64)
    onset_s = starts / rate_hz + lags_s - lags_s[0]
    ends_s = onset_s[:-1] + np.diff(starts) / fs_hz
    onset_s[1:] = np.maximum(onset_s[1:], ends_s)
    return Pace(fs_hz, starts, onset_s)


def _rate(steps: Float64[Array, "step"], samples: Float32[Array, "step"]) -> float:
    """Samples per second, from blocks near the median one: gaps are in few."""
    size = int(np.clip(steps.size // 8, 1, _BLOCK))
    whole = steps.size // size * size
    seconds = steps[:whole].reshape(-1, size).sum(axis=1)
    counts = samples[:whole].reshape(-1, size).sum(axis=1, dtype=np.float64)
    used = seconds > 0
    if not used.any():
        return float(samples.sum() / max(steps.sum(), 1e-9))
    rates = counts[used] / seconds[used]
    near = np.abs(rates / np.median(rates) - 1) < _NEAR
    if not near.any():
        return float(np.median(rates))
    return float(counts[used][near].sum() / seconds[used][near].sum())


def _check(
    steps: Float64[Array, "step"], rate_hz: float, fs_hz: float | None, title: str, source: str
) -> None:
    low, high = RATES_HZ
    if not low <= rate_hz <= high:
        raise FormatError(
            source,
            f"{rate_hz:.4g} samples per second in {title}, expected {low:g} to {high:g}",
            "name the unit of the times, as in 'time [ms]', or give --sampling-rate",
        )
    if fs_hz is not None and abs(rate_hz / fs_hz - 1) > _FAR:
        raise ValueRangeError(
            source,
            f"{rate_hz:.4g} samples per second in {title}, but a rate of {fs_hz:g} Hz is given",
            "correct --sampling-rate, or remove the times",
        )
    back = steps < -1 / rate_hz
    if back.any():
        raise ValueRangeError(
            source,
            f"time goes back in {title}, at sample {int(np.argmax(back)) + 2:,}",
            "sort the rows, or read each recording from a file of its own",
        )


def _gaps(
    lag_s: Float64[Array, "packet"],
    at_s: Float64[Array, "packet"],
    tolerance_s: float,
    source: str,
) -> tuple[Int64[Array, "gap"], Float64[Array, "part"]]:
    """Packets before which recording paused, and how much each part lags behind its samples."""
    lows = np.minimum.reduceat(lag_s, np.arange(0, lag_s.size, _BLOCK))
    jumps = np.flatnonzero(np.diff(lag_s) > tolerance_s) + 1
    if jumps.size > _MOST_JUMPS:
        raise FormatError(
            source, f"time jumps {jumps.size:,} times", "remove the times and give --sampling-rate"
        )
    gaps: list[int] = []
    lags_s = [float(lag_s[: np.searchsorted(at_s, at_s[0] + _SETTLED_S) + 1].min())]
    for jump in jumps.tolist():
        settled = int(np.searchsorted(at_s, at_s[jump] + _SETTLED_S))
        settled_s = _least(lag_s, lows, jump, max(jump + 1, settled))
        if settled_s - lag_s[jump - 1] > tolerance_s:
            gaps.append(jump)
            lags_s.append(settled_s)
    if gaps and gaps[0]:  # the first minute may reach beyond the first gap
        lags_s[0] = float(lag_s[: gaps[0]].min())
    return np.array(gaps, np.int64), np.array(lags_s)


def _least(
    lag_s: Float64[Array, "packet"], lows: Float64[Array, "block"], start: int, stop: int
) -> float:
    """The least of a stretch; whole blocks are known, so that many stretches are looked at soon."""
    first, last = -(-start // _BLOCK), stop // _BLOCK
    if first >= last:
        return float(lag_s[start:stop].min())
    ends = lag_s[start : first * _BLOCK], lag_s[last * _BLOCK : stop]
    return float(min(lows[first:last].min(), *(end.min(initial=np.inf) for end in ends)))

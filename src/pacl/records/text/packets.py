"""Times at which packets of intervals arrived, rather than times of beats.

A strap sends a packet about once a second, with none to several intervals. A phone notes when it
arrived: a second or two early or late, or late by a minute and then many packets at once. So the
sum of the intervals is the clock, and the times of arrival only show where intervals are missing.

```
packet     10.0          11.9      (held back)                        25.1 25.1 25.2
intervals   .8 .8         .9        .8 .9 .8 .9 .8 .9 .8 .9 .8 .9 .8    .9   .8   .9
```

How far arrival is ahead of the sum rises by 13 s at 25.1, and is back at its old value with the
last packet: no gap. Where it stays ahead, intervals are missing.
"""

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64

BACK_S = 2.5
"""Arrival may go back by this much; more is another order of the lines."""

TOGETHER_S = 5.0
"""Packets that were held back arrive within this time of each other."""

_SORTED_FIT = 0.25  # of the misfit in the order of the file: then sorting puts lines right
_RESOLUTIONS_S = (60.0, 1.0)
_BEYOND_S = 0.3
_TINY_S = 1e-6


def out_of_order(at_s: Float64[Array, "beat"], rr_ms: Float64[Array, "beat"]) -> int | None:
    """First row that is in the wrong place; `None` where times go back only as packets do.

    Lines are in the wrong place if time goes back by more than `BACK_S`, or if the intervals fit
    the times much better once the lines are sorted by time.
    """
    back = np.flatnonzero(np.diff(at_s) < 0) + 1
    if not back.size:
        return None
    first = int(back[0])
    if (np.maximum.accumulate(at_s) - at_s > BACK_S).any():
        return first
    order = np.argsort(at_s, kind="stable")
    moved = order != np.arange(order.size)
    steps = moved[1:] | moved[:-1]
    in_file = _misfit_s(at_s, rr_ms, steps)
    return first if _misfit_s(at_s[order], rr_ms[order], steps) < _SORTED_FIT * in_file else None


def _misfit_s(
    at_s: Float64[Array, "beat"], rr_ms: Float64[Array, "beat"], some: Bool[Array, "step"]
) -> float:
    steps_s, rr_s = np.diff(at_s), rr_ms / 1000
    return min(float(np.abs(steps_s - each)[some].sum()) for each in (rr_s[:-1], rr_s[1:]))


def are_packets(at_s: Float64[Array, "beat"], rr_ms: Float64[Array, "beat"]) -> bool:
    """Whether times are those of packets: they go back, or intervals share one.

    Beats of a clock of whole seconds share a time as well, but no longer than a second.
    """
    steps_s = np.diff(at_s)
    if (steps_s < 0).any():
        return True
    resolution_s = next(
        (one for one in _RESOLUTIONS_S if np.abs(at_s / one - np.rint(at_s / one)).max() < _TINY_S),
        0.0,
    )
    shared = np.append(False, steps_s <= _TINY_S)
    since = np.cumsum(np.where(shared, rr_ms, 0.0)) / 1000
    begins = np.maximum.accumulate(np.where(shared, 0.0, since))
    return bool((since - begins).max() > resolution_s + _BEYOND_S)


def caught_up(
    at_s: Float64[Array, "beat"],
    rr_ms: Float64[Array, "beat"],
    jumps: Int64[Array, "jump"],
    limit_s: float,
) -> Bool[Array, "jump"]:
    """Which jumps, each by its row before, are packets held back: the next ones make up for it."""
    ahead_s = _ahead_s(at_s, rr_ms)
    latest_s = np.maximum.accumulate(at_s)
    start = np.searchsorted(latest_s, latest_s[jumps] - TOGETHER_S)
    before = _least(ahead_s, start, jumps + 1)
    stop = np.searchsorted(latest_s, latest_s[jumps + 1] + TOGETHER_S, side="right")
    after = _least(ahead_s, jumps + 1, stop)
    jump_s = latest_s[jumps + 1] - latest_s[jumps]
    found: Bool[Array, "jump"] = after - before <= np.minimum(limit_s, jump_s / 2)
    return found


def packet_onsets_s(
    at_s: Float64[Array, "beat"], rr_ms: Float64[Array, "beat"], rows: Int64[Array, "some"]
) -> Float64[Array, "some"]:
    """When the intervals at some rows begin: the packet of the least delay says so."""
    ahead_s = _ahead_s(at_s, rr_ms)
    latest_s = np.maximum.accumulate(at_s)
    stop = np.searchsorted(latest_s, latest_s[rows] + TOGETHER_S, side="right")
    elapsed_s = np.append(0, np.cumsum(rr_ms))[rows] / 1000
    return _least(ahead_s, rows, stop) + elapsed_s


def _ahead_s(at_s: Float64[Array, "beat"], rr_ms: Float64[Array, "beat"]) -> Float64[Array, "beat"]:
    """By how much the arrival of each interval is ahead of the sum of intervals up to its end."""
    return at_s - np.cumsum(rr_ms) / 1000


def _least(
    values: Float64[Array, "beat"], start: Int64[Array, "some"], stop: Int64[Array, "some"]
) -> Float64[Array, "some"]:
    """The least value of each range, none of which is empty."""
    edges = np.column_stack([start, stop]).ravel()
    found: Float64[Array, "some"] = np.minimum.reduceat(np.append(values, np.inf), edges)[::2]
    return found

"""Scaling without labels, where no sinus rhythm is known.

```
record    |--------- earlier ---------|-- `minutes` before the window's end --|   later
windows        never used               counted, if they end by then             never used
                                                                     |window|
```

The paper scales a patient by an hour known to be sinus rhythm (Eq. 4). A new patient has no labels,
and no future: here a window's scale depends on nothing after its own end.
"""

import heapq
import math
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.rr.scale import gather
from pacl.rr.store import RRWindowSet
from pacl.windows import WindowSetError

Reference = Literal["window", "relative", "regular", "shrunk"]
"""What replaces the sinus rhythm of a patient; see `refer`."""
LEAST_SPREAD_MS = 8.0
"""Least interquartile range: that of a paced rhythm would be the clock's step, or 0."""
RELATIVE = 1 / 8
"""Share of its mean that a window is scaled by, so that 1 is a beat 12.5 % longer."""
PRIOR_MS = (800.0, 70.0)
"""Median and interquartile range assumed for an unseen patient."""
PRIOR_WINDOWS = 20
"""Number of windows that have the same weight as that prior."""
_CHUNK = 4096


class _Own(NamedTuple):
    """Computed from each window alone; `uneven` is the median step over the median interval."""

    mean_ms: Float64[Array, "window"]
    median_ms: Float64[Array, "window"]
    spread_ms: Float64[Array, "window"]
    uneven: Float64[Array, "window"]
    end_s: Float64[Array, "window"]


def refer(windows: RRWindowSet, reference: Reference, *, minutes: float = math.inf) -> RRWindowSet:
    """Give each window a centre and a scale, from its own beats or those before it.

    Only windows of the set are used, not those that a protocol, `part` or `select` left out. So
    refer the full set first, then select. Windows are in ms (centre 0, scale 1); beats are shared.

    Parameters
    ----------
    reference
        `window`: the window's own median and interquartile range. `relative`: its own mean, and an
        eighth of it. `regular`: median and interquartile range of the most regular window so far,
        whose median step from beat to beat is the smallest share of its median; the earliest, if
        several are. `shrunk`: the geometric means of medians and interquartile ranges so far, drawn
        towards 800 ms and 70 ms as if these had been seen in 20 windows. No interquartile range
        counts as less than 8 ms.
    minutes
        "So far" counts windows of the same record that began within this time before the window's
        end and ended no later than it, as if the device had been worn that long. The window itself
        always counts. Not used by `window` and `relative`.
    """
    _check(windows, reference, minutes)
    own = _own(windows)
    if reference == "window":
        centre_ms, scale_ms = own.median_ms, own.spread_ms
    elif reference == "relative":
        centre_ms, scale_ms = own.mean_ms, own.mean_ms * RELATIVE
    else:
        centre_ms, scale_ms = np.empty_like(own.median_ms), np.empty_like(own.spread_ms)
        for rows in _records(windows, own):
            first, stop = _counted(windows.table.onset_s[rows], own.end_s[rows], minutes)
            if reference == "regular":
                best = rows[_smallest(own.uneven[rows], first, stop)]
                centre_ms[rows], scale_ms[rows] = own.median_ms[best], own.spread_ms[best]
            else:
                centre_ms[rows] = _shrunk(own.median_ms[rows], PRIOR_MS[0], first, stop)
                scale_ms[rows] = _shrunk(own.spread_ms[rows], PRIOR_MS[1], first, stop)
    table = replace(
        windows.table, centre_ms=centre_ms.astype(np.float32), scale_ms=scale_ms.astype(np.float32)
    )
    return replace(windows, table=table)


def _check(windows: RRWindowSet, reference: Reference, minutes: float) -> None:
    source = windows.manifest.get("source", "window set")
    if reference not in get_args(Reference):
        raise WindowSetError(
            source, f"no reference {reference!r}", f"use {', '.join(get_args(Reference))}"
        )
    if not minutes > 0:
        raise WindowSetError(
            source,
            f"a reference from {minutes:g} minutes of wear",
            "give minutes above 0, or leave them out to use all earlier windows",
        )
    if not windows.in_ms:
        raise WindowSetError(
            source,
            "its windows are scaled already, a reference needs them in ms",
            "prepare the recordings with --protocol all-beats",
        )


def _own(windows: RRWindowSet) -> _Own:
    """Each window's own figures, some thousands of windows at a time."""
    table, found = windows.table, np.empty((4, len(windows)))
    for low in range(0, len(windows), _CHUNK):
        rows = slice(low, low + _CHUNK)
        rr_ms = gather(windows.rr_ms, table.start[rows], windows.window_beats).astype(np.float64)
        low_ms, median_ms, high_ms = np.quantile(rr_ms, [0.25, 0.5, 0.75], axis=1)
        step_ms = np.median(np.abs(np.diff(rr_ms, axis=1)), axis=1)
        found[:, rows] = rr_ms.sum(axis=1), median_ms, high_ms - low_ms, step_ms
    length_ms, median_ms, spread_ms, step_ms = found
    if np.any(median_ms <= 0):
        record = table.record.names[table.record.codes[np.argmax(median_ms <= 0)]]
        raise WindowSetError(
            windows.manifest.get("source", "window set"),
            f"record {record}: a window of which half the beats last 0 ms",
            "prepare it without implausible beats (--window.implausible drop)",
        )
    return _Own(
        mean_ms=length_ms / windows.window_beats,
        median_ms=median_ms,
        spread_ms=np.maximum(spread_ms, LEAST_SPREAD_MS),
        uneven=step_ms / median_ms,
        end_s=table.onset_s + length_ms / 1000,
    )


def _records(windows: RRWindowSet, own: _Own) -> list[Int64[Array, "of_record"]]:
    """The rows of each record, in the order in which its windows end."""
    table = windows.table
    codes = table.record.codes
    order = np.lexsort((table.start, table.onset_s, own.end_s, codes))
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _counted(
    onset_s: Float64[Array, "window"], end_s: Float64[Array, "window"], minutes: float
) -> tuple[Int64[Array, "window"], Int64[Array, "window"]]:
    """From which and up to which window each one counts, of windows in the order of their ends.

    A window counts once it has ended, and no longer once wear begins after it did. Where wear is
    shorter than the window, `stop` comes before the window itself.
    """
    first = np.searchsorted(end_s, end_s, side="left")
    stop = np.searchsorted(end_s - 60 * minutes, onset_s, side="right")
    return first, stop


def _smallest(
    values: Float64[Array, "window"], first: Int64[Array, "window"], stop: Int64[Array, "window"]
) -> Int64[Array, "window"]:
    """Which window has the smallest value of those that count for each, and of itself."""
    keys = list(zip(values.tolist(), range(values.size), strict=True))  # the earliest wins a tie
    begins, ends = first.tolist(), stop.tolist()
    best = np.empty(values.size, dtype=np.int64)
    heap: list[tuple[float, int]] = []
    seen = 0
    for at, own in enumerate(keys):
        while seen < len(keys) and begins[seen] <= at:
            heapq.heappush(heap, keys[seen])
            seen += 1
        while heap and ends[heap[0][1]] <= at:
            heapq.heappop(heap)
        best[at] = min(own, heap[0])[1] if heap else at
    return best


def _shrunk(
    values_ms: Float64[Array, "window"],
    prior_ms: float,
    first: Int64[Array, "window"],
    stop: Int64[Array, "window"],
) -> Float64[Array, "window"]:
    """The geometric mean of the prior and the windows that count for each."""
    # How much a window lies above the prior, and that it is one, come at `first`, go at `stop`.
    terms = np.stack([np.log(values_ms / prior_ms), np.ones_like(values_ms)], axis=1)
    change = np.zeros((values_ms.size + 1, 2))
    counts = stop > first
    np.add.at(change, first[counts], terms[counts])
    np.subtract.at(change, stop[counts], terms[counts])
    sums = np.cumsum(change, axis=0)[:-1]
    sums[~counts] += terms[~counts]
    shrunk: Float64[Array, "window"] = prior_ms * np.exp(sums[:, 0] / (PRIOR_WINDOWS + sums[:, 1]))
    return shrunk

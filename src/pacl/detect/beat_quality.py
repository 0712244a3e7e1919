"""Which beats can be judged, in groups of ten, and why the others cannot.

```
            |<------------- at most 200 beats ------------->|
            |                              [group] | 60 more |
```

A group is decided when 60 more beats are known, in a whole recording as in a stream: both see the
same beats, so that both say the same. At the ends of a stretch there are fewer.
"""

from collections.abc import Callable

import numpy as np

from pacl.axes import Array, Bool, Float32, Int64, UInt8
from pacl.detect.not_judged import Fault
from pacl.detect.steps import MOST_DROPPED, is_repeating
from pacl.windows.plausible import is_implausible

GROUP = 10
AFTER = 60
LOOKED_AT = 200
AROUND = 30
"""Implausible beats are counted among so many beats before a group, and after it."""

AT_ONCE = 1000
"""Groups that are looked at together: memory does not grow with the recording."""


def group_starts(beats: int) -> Int64[Array, "group"]:
    """Where groups begin in a stretch; the last may be shorter."""
    return np.arange(0, beats, GROUP)


def group_faults(rr_ms: Float32[Array, "beat"], least_beats: int) -> UInt8[Array, "group"]:
    """What is wrong with each group of a stretch without a gap."""
    beats, starts = rr_ms.size, group_starts(rr_ms.size)
    ends = np.minimum(starts + GROUP + AFTER, beats)
    implausible = np.append(0, np.cumsum(is_implausible(rr_ms)))
    low, high = np.maximum(starts - AROUND, 0), np.minimum(starts + GROUP + AROUND, beats)
    dropped = implausible[high] - implausible[low]
    faults = np.zeros(starts.size, np.uint8)
    faults[dropped > MOST_DROPPED * (high - low - dropped)] = Fault.SPARSE
    faults[ends - implausible[ends] < least_beats] = Fault.TOO_FEW
    fit = np.flatnonzero(faults == Fault.NONE)
    faults[fit[_repeats(rr_ms, ends[fit])]] = Fault.REPEATED
    return faults


def _repeats(rr_ms: Float32[Array, "beat"], ends: Int64[Array, "group"]) -> Bool[Array, "group"]:
    """Groups whose last 200 beats are sent again and again."""
    found = np.zeros(ends.size, np.bool_)
    equal = np.append(0, np.cumsum(rr_ms[1:] == rr_ms[:-1]))
    first = np.maximum(ends - LOOKED_AT, 0)
    many = (equal[ends - 1] - equal[first]) * 4 > ends - first - 1  # few are, so few are looked at
    found[many] = _of_each(rr_ms, first[many], ends[many], is_repeating)
    return found


def _of_each(
    rr_ms: Float32[Array, "beat"],
    low: Int64[Array, "group"],
    high: Int64[Array, "group"],
    ask: Callable[[Float32[Array, "group beat"]], Bool[Array, "group"]],
) -> Bool[Array, "group"]:
    """What is found in ranges of beats: in those of the usual length many at a time."""
    found = np.zeros(low.size, np.bool_)
    beats = int((high - low).max(initial=0))
    usual = np.flatnonzero(high - low == beats)
    for at in range(0, usual.size, AT_ONCE):
        some = usual[at : at + AT_ONCE]
        found[some] = ask(rr_ms[low[some][:, None] + np.arange(beats)])
    for at in np.flatnonzero(high - low != beats).tolist():
        found[at] = ask(rr_ms[low[at] : high[at]][None])[0]
    return found

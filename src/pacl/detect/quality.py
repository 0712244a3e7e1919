"""Which beats can be judged: not where a device repeats itself, or many beats are implausible.

```
            |<------------- at most 200 beats ------------->|
            |                              [group] | 60 more |
```

Weights of windows check each window. Weights of beats check groups of ten, each once 60 more beats
are known, in a recording as in a stream: both see the same beats, so both give the same result. At
the ends of a stretch there are fewer.
"""

import numpy as np

from pacl.axes import Array, Bool, Float32, Int64, UInt8
from pacl.detect.not_judged import MOST_DROPPED, Fault
from pacl.rr import is_implausible

REPEAT_COUNTS = tuple(range(2, 11))
"""How often a device may send each beat; such a signal is not judged."""

EQUAL_WITHIN, EQUAL_BETWEEN = 0.95, 0.5
"""A device repeats each beat where at least 95 % of the neighbours within a group are equal, and
fewer than half of those between groups. In a very regular rhythm both shares are similar."""

GROUP = 10
AFTER = 60
LOOKED_AT = 200
AROUND = 30
"""Beats before and after a group in which implausible beats are counted."""

AT_ONCE = 1000
"""Groups that are checked together: memory does not grow with the recording."""


def is_repeating(rr_ms: Float32[Array, "window beat"]) -> Bool[Array, "window"]:
    """Which windows have one interval only, or intervals that each occur two to ten times."""
    equal = rr_ms[:, 1:] == rr_ms[:, :-1]
    found: Bool[Array, "window"] = equal.all(axis=1)
    some = np.flatnonzero(~found & (equal.mean(axis=1) > EQUAL_WITHIN / 3))
    if some.size:
        found[some] = _is_repeated(equal[some])
    return found


def _is_repeated(equal: Bool[Array, "window pair"]) -> Bool[Array, "window"]:
    """Whether each beat occurs two to ten times, from any first beat on."""
    found = np.zeros(len(equal), dtype=np.bool_)
    for times in REPEAT_COUNTS:
        for first in range(times):
            begins = np.arange(equal.shape[1]) % times == first
            within, between = equal[:, ~begins].mean(axis=1), equal[:, begins].mean(axis=1)
            found |= (within >= EQUAL_WITHIN) & (between < EQUAL_BETWEEN)
    return found


def group_faults(rr_ms: Float32[Array, "beat"], least_beats: int) -> UInt8[Array, "group"]:
    """What is wrong with each group of a stretch without a gap; the last may be shorter."""
    beats, starts = rr_ms.size, np.arange(0, rr_ms.size, GROUP)
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


def without_masked(
    faults: UInt8[Array, "group"], masked: Bool[Array, "beat"]
) -> UInt8[Array, "group"]:
    """The same faults; a group of which most beats are masked has one, too."""
    if not masked.any():
        return faults
    starts = np.arange(0, masked.size, GROUP)
    sizes = np.minimum(starts + GROUP, masked.size) - starts
    mostly = 2 * np.add.reduceat(masked, starts, dtype=np.int64) > sizes
    return np.where((faults == Fault.NONE) & mostly, np.uint8(Fault.MASKED), faults)


def _repeats(rr_ms: Float32[Array, "beat"], ends: Int64[Array, "group"]) -> Bool[Array, "group"]:
    """Groups whose last 200 beats are repeated; ranges of the usual length are checked together."""
    found = np.zeros(ends.size, np.bool_)
    equal = np.append(0, np.cumsum(rr_ms[1:] == rr_ms[:-1]))
    first = np.maximum(ends - LOOKED_AT, 0)
    lengths = ends - first
    many = (equal[ends - 1] - equal[first]) * 4 > lengths - 1  # rare, so few are checked
    longest = int(lengths[many].max(initial=0))
    usual = np.flatnonzero(many & (lengths == longest))
    for at in range(0, usual.size, AT_ONCE):
        some = usual[at : at + AT_ONCE]
        found[some] = is_repeating(rr_ms[first[some][:, None] + np.arange(longest)])
    for at in np.flatnonzero(many & (lengths != longest)).tolist():
        found[at] = is_repeating(rr_ms[first[at] : ends[at]][None])[0]
    return found

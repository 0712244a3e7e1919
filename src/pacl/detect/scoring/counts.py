"""Counted, true, called, and both: four amounts, in seconds, beats or segments, and their shares.

```
              called AF   not called
true AF         both                      af
not AF                                    counted - af
                called                    counted
```

Segments have 30 s, from the start of the recording. Each is AF or not, in truth and as called. A
segment of which less than half is counted is left out.

```
time      0         30        60        90        120
segments  |---------|---------|---------|---------|
counted   |----------------|        |-------------|      the second: 21 of 30 s
true AF           |----------|
AF                no        yes       no        no       at least half of the counted time
```
"""

from dataclasses import astuple, dataclass
from typing import Literal

import numpy as np

from pacl.axes import Array, Float64
from pacl.spans import TOUCHING_S, Spans, intersect, seconds_before, total_s

SEGMENT_S = 30.0

Share = Literal["sensitivity", "specificity", "predictivity", "f1", "accuracy"]


@dataclass(frozen=True, slots=True)
class Counts:
    """The counted amount, and how much of it is AF, is called AF, and is both."""

    counted: float = 0.0
    af: float = 0.0
    called: float = 0.0
    both: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def parts(self, share: Share) -> tuple[float, float]:
        """Numerator and denominator of a share; the denominator is 0 where it has no value."""
        not_af = max(self.counted - self.af, 0.0)
        # Sums of seconds are rounded; the limits keep the share from 0 to 1.
        rejected = min(max(not_af - (self.called - self.both), 0.0), not_af)
        match share:
            case "sensitivity":
                return self.both, self.af
            case "specificity":
                return rejected, not_af
            case "predictivity":
                return self.both, self.called
            case "f1":
                return 2 * self.both, self.af + self.called
            case "accuracy":
                return min(self.both + rejected, self.counted), self.counted


def count(true: Spans, called: Spans, counted: Spans) -> Counts:
    """Amounts of spans of any unit, within the counted ones."""
    true, called = intersect(true, counted), intersect(called, counted)
    af, called_all = total_s(true), total_s(called)
    both = min(total_s(intersect(true, called)), af, called_all)  # without rounding errors
    return Counts(total_s(counted), af, called_all, both)


def count_segments(true: Spans, called: Spans, counted: Spans) -> Counts:
    """Count segments of 30 s: all, of AF, called AF, and both."""
    at = _touched(counted)

    def seconds(spans: Spans) -> Float64[Array, "segment"]:
        inside = intersect(spans, counted)
        before, after = (seconds_before(inside, SEGMENT_S * edge) for edge in (at, at + 1))
        return after - before

    known_s = seconds(counted)
    counts = known_s >= SEGMENT_S / 2 - TOUCHING_S
    is_af, is_called = (seconds(one) >= known_s / 2 - TOUCHING_S for one in (true, called))
    each = (counts, counts & is_af, counts & is_called, counts & is_af & is_called)
    return Counts(*(float(np.count_nonzero(one)) for one in each))


def _touched(spans: Spans) -> Float64[Array, "segment"]:
    """Numbers of the segments that spans reach into; long pauses cost nothing."""
    first, last = np.floor(spans / SEGMENT_S).T
    numbers = [np.arange(low, high + 1) for low, high in zip(first, last, strict=True)]
    return np.unique(np.concatenate([np.empty(0), *numbers]))

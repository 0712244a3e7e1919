"""Segments of 30 s: each of them is AF or not, in truth and as called.

```
time      0         30        60        90        120
segments  |---------|---------|---------|---------|
counted   |----------------|        |-------------|      the second: 21 of 30 s
true AF           |----------|
AF                no        yes       no        no       at least half of what counts
```

The grid begins with the recording. A segment of which less than half counts is left out.
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect.rhythm_counts import Counts
from pacl.spans import TOUCHING_S, Spans, intersect, seconds_before

SEGMENT_S = 30.0


def count_segments(true: Spans, called: Spans, counted: Spans) -> Counts:
    """Count segments, those of AF, those called AF, and those that are both."""
    at = _touched(counted)

    def seconds(spans: Spans) -> Float64[Array, "segment"]:
        inside = intersect(spans, counted)
        begun, over = (seconds_before(inside, SEGMENT_S * edge) for edge in (at, at + 1))
        return over - begun

    known_s = seconds(counted)
    counts = known_s >= SEGMENT_S / 2 - TOUCHING_S
    is_af, is_called = (seconds(one) >= known_s / 2 - TOUCHING_S for one in (true, called))
    return Counts(
        *(
            float(np.count_nonzero(counts & each))
            for each in (True, is_af, is_called, is_af & is_called)
        )
    )


def _touched(spans: Spans) -> Float64[Array, "segment"]:
    """Numbers of the segments that spans reach into; a pause of years costs nothing."""
    first, last = np.floor(spans / SEGMENT_S).T
    numbers = [np.arange(low, high + 1) for low, high in zip(first, last, strict=True)]
    return np.unique(np.concatenate([np.empty(0), *numbers]))

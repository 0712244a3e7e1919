"""Timing errors of the called onsets and offsets of AF.

```
true AF        |---------------------|
called AF   |----|    |--|    |-----------|
onset error <--|                     |---->  offset error
```

The first called episode that overlaps the true one gives the onset, the last gives the offset. An
error above 0 is late, below 0 early.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.detect.scoring.compared import Compared, in_beats
from pacl.spans import TOUCHING_S, Spans

End: TypeAlias = Literal["onset", "offset"]
ENDS: tuple[End, ...] = get_args(End)


@dataclass(frozen=True, slots=True)
class EndError:
    """Called minus true, in seconds and in beats; beats are None where they are not known."""

    seconds: float
    beats: int | None


def end_errors(compared: Compared, found: Spans, end: End) -> list[EndError | None]:
    """Errors of one end of the true episodes that were found.

    None where the time just before or just after the end is not counted, such as at the start of
    the recording: the change of rhythm was not recorded.
    """
    if not len(found):
        return []
    called = compared.detected
    if end == "onset":  # the start of the first called episode that overlaps the true one
        at = np.searchsorted(called[:, 1], found[:, 0] + TOUCHING_S, side="right")
        true_s, called_s = found[:, 0], called[at, 0]
    else:  # the end of the last
        at = np.searchsorted(called[:, 0], found[:, 1] - TOUCHING_S, side="left") - 1
        true_s, called_s = found[:, 1], called[at, 1]
    seconds = np.round(called_s - true_s, 6)
    ends = in_beats(np.stack([true_s, called_s], axis=1), compared.beats_s)
    beats = (ends[:, 1] - ends[:, 0]).astype(np.int64)
    known = bool(compared.beats_s.size)
    return [
        EndError(late_s, late if known else None) if seen else None
        for seen, late_s, late in zip(
            _inside(true_s, compared.counted), seconds.tolist(), beats.tolist(), strict=True
        )
    ]


def _inside(at_s: Float64[Array, "time"], spans: Spans) -> Bool[Array, "time"]:
    """Which times lie inside a span."""
    at = np.searchsorted(spans[:, 0], at_s - TOUCHING_S, side="left") - 1
    inside: Bool[Array, "time"] = (at >= 0) & (spans[at, 1] > at_s + TOUCHING_S)
    return inside

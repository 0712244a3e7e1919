"""How far called onsets and offsets of AF are from the true ones.

```
true AF        |---------------------|
called AF   |----|    |--|    |-----------|
onset error <--|                     |---->  offset error
```

The onset is that of the first called episode that overlaps the true one, the offset that of the
last. An error above 0 is late, one below 0 early.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.detect.rhythm_spans import Compared, in_beats
from pacl.spans import TOUCHING_S, Spans

End: TypeAlias = Literal["onset", "offset"]
ENDS: tuple[End, ...] = get_args(End)


@dataclass(frozen=True, slots=True)
class EndError:
    """Called less true, in seconds and in beats; in seconds alone where beats are not known."""

    seconds: float
    beats: int | None


def end_errors(compared: Compared, found: Spans, end: End) -> list[EndError | None]:
    """Errors of one end of true episodes that were found.

    None where time right before or right after the end does not count, such as at the start of
    the recording: nobody could see the rhythm change there.
    """
    if not len(found):
        return []
    true_s, called_s = found[:, 0], _first(compared.detected, found)
    if end == "offset":
        true_s, called_s = found[:, 1], _last(compared.detected, found)
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


def _first(called: Spans, found: Spans) -> Float64[Array, "episode"]:
    """Start of the first called span that overlaps each of those that were found."""
    at = np.searchsorted(called[:, 1], found[:, 0] + TOUCHING_S, side="right")
    starts: Float64[Array, "episode"] = called[at, 0]
    return starts


def _last(called: Spans, found: Spans) -> Float64[Array, "episode"]:
    """End of the last one."""
    at = np.searchsorted(called[:, 0], found[:, 1] - TOUCHING_S, side="left") - 1
    ends: Float64[Array, "episode"] = called[at, 1]
    return ends


def _inside(at_s: Float64[Array, "time"], spans: Spans) -> Bool[Array, "time"]:
    """Which times have some of the same span before and after them."""
    at = np.searchsorted(spans[:, 0], at_s - TOUCHING_S, side="left") - 1
    inside: Bool[Array, "time"] = (at >= 0) & (spans[at, 1] > at_s + TOUCHING_S)
    return inside

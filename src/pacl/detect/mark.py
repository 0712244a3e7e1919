"""A mark by hand: what a person says of a stretch of a recording.

```
marks in order   |====== af ======|
                            |== sinus ==|
                      |x|                          exclude
painted          |=af=|x|af=|== sinus ==|          the last word counts
```
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from pacl.detect.not_judged import DetectError

MarkKind = Literal["af", "not-af", "sinus", "exclude"]
"""AF; no AF, whatever else it is; sinus rhythm; not to be judged."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person says of a stretch, in seconds from the start of the recording."""

    kind: MarkKind
    start_s: float | int
    end_s: float | int

    def __post_init__(self) -> None:
        if self.kind not in get_args(MarkKind):
            raise DetectError(f"a mark {self.kind!r}; use one of {', '.join(get_args(MarkKind))}")
        if not (math.isfinite(self.start_s) and math.isfinite(self.end_s)):
            raise DetectError(f"a mark from {self.start_s} to {self.end_s} s; give finite times")
        if self.start_s >= self.end_s:
            raise DetectError(
                f"a mark ({self.kind}) from {self.start_s:g} to {self.end_s:g} s is empty; give "
                "the start, then the end"
            )
        object.__setattr__(self, "start_s", float(self.start_s))
        object.__setattr__(self, "end_s", float(self.end_s))


def painted(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks painted over each other in order: a later one replaces earlier ones where they overlap.

    The result is in order of time, and no two overlap. Neighbours of the same kind that touch are
    joined.

    Examples
    --------
    >>> for one in painted([Mark("af", 0, 60), Mark("sinus", 40, 90)]):
    ...     print(one.kind, one.start_s, one.end_s)
    af 0.0 40.0
    sinus 40.0 90.0
    """
    given = list(marks)
    edges_s = sorted({at for one in given for at in (one.start_s, one.end_s)})
    place = {at: number for number, at in enumerate(edges_s)}
    last = np.full(max(len(edges_s) - 1, 0), -1)  # the last mark over each part between edges
    for number, one in enumerate(given):
        last[place[one.start_s] : place[one.end_s]] = number
    found: list[Mark] = []
    for part, number in enumerate(last.tolist()):
        if number < 0:
            continue
        kind, start_s, end_s = given[number].kind, edges_s[part], edges_s[part + 1]
        if found and found[-1].kind == kind and found[-1].end_s == start_s:
            found[-1] = replace(found[-1], end_s=end_s)
        else:
            found.append(Mark(kind, start_s, end_s))
    return tuple(found)

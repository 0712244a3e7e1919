"""What the times of the rows of a table mark: the beginning of intervals, their end, or arrival.

```
begins    10.0 .8   10.8 .9   11.7 .8       a row states when its interval began
ends      10.8 .8   11.7 .9   12.5 .8       or when it ended
arrival   11.7 .8   11.7 .9   13.4 .8  13.4 .9     or when a packet of some intervals came
```

The first seconds show it. `pacl.records.text` judges a whole file in the same way, so that a table
begins at the same time however it is read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise

from pacl.live.transport import Packet

OPENING_S = 5.0
"""Rows wait for so long at the start."""
MOST_OPENING = 200
"""Rows that wait at most."""
MOST_TOGETHER = 1_000
"""Intervals of one packet."""
BEYOND_S = 0.3
"""Beats that share a time for longer than its resolution are those of a packet."""
_TINY_S = 1e-6


class RowTimes:
    """Makes one packet of rows that share a time, and says when it ended.

    Packets that do not come from rows go on as they are, after those that wait.
    """

    def __init__(self) -> None:
        self._opening: list[Packet] = []
        self._together: list[Packet] = []
        self._marks_begin: bool | None = None

    def push(self, packets: Iterable[Packet]) -> list[Packet]:
        """Take packets in order; return those that are complete."""
        found: list[Packet] = []
        for one in packets:
            if one.stated_s is None:
                found += [*self.flush(), one]
            elif self._marks_begin is None:
                self._opening.append(one)
                passed_s = one.stated_s - (self._opening[0].stated_s or 0.0)
                if not 0 <= passed_s < OPENING_S or len(self._opening) >= MOST_OPENING:
                    found += self._open()
            else:
                found += self._join(one)
        return found

    def flush(self) -> list[Packet]:
        """All that still wait."""
        found = self._open() if self._opening else []
        return [*found, *self._ended()]

    def _open(self) -> list[Packet]:
        """Judge the rows of the first seconds; their first beat begins when a file's would."""
        rows, self._opening = self._opening, []
        self._marks_begin, onset_s = judge(rows)
        found = [packet for row in rows for packet in self._join(row)]
        if not found:
            found = self._ended()
        first = found[0]
        at_s = onset_s + sum(first.rr_ms) / 1000
        return [replace(first, at_s=at_s), *found[1:]]

    def _join(self, row: Packet) -> list[Packet]:
        """Put a row with those of its time; return them where it has another."""
        found: list[Packet] = []
        if self._together:
            first = self._together[0]
            same = _kind(first) == _kind(row) and len(self._together) < MOST_TOGETHER
            found = [] if same else self._ended()
        self._together.append(row)
        return found

    def _ended(self) -> list[Packet]:
        rows, self._together = self._together, []
        if not rows:
            return []
        rr_ms = tuple(rr for row in rows for rr in row.rr_ms)
        stated_s = rows[0].stated_s or 0.0
        at_s = stated_s + sum(rr_ms) / 1000 if self._marks_begin else stated_s
        return [replace(rows[0], rr_ms=rr_ms, at_s=at_s)]


def judge(rows: Sequence[Packet]) -> tuple[bool, float]:
    """Whether times mark the beginning of intervals, and when the first one began."""
    at_s = [row.stated_s or 0.0 for row in rows]
    rr_s = [sum(row.rr_ms) / 1000 for row in rows]
    if are_packets(at_s, rr_s):
        return False, min(at - passed for at, passed in zip(at_s, accumulate(rr_s), strict=True))
    steps_s = [after - before for before, after in pairwise(at_s)]
    begin_misfit_s = sum(abs(a - b) for a, b in zip(steps_s, rr_s[:-1], strict=True))
    end_misfit_s = sum(abs(a - b) for a, b in zip(steps_s, rr_s[1:], strict=True))
    if end_misfit_s < begin_misfit_s:
        return False, at_s[0] - rr_s[0]
    return True, at_s[0]


def are_packets(at_s: Sequence[float], rr_s: Sequence[float]) -> bool:
    """Whether intervals share a time for longer than its resolution explains."""
    whole = all(abs(at - round(at)) < _TINY_S for at in at_s)
    limit_s = BEYOND_S + (1.0 if whole else 0.0)
    rows = zip(at_s, rr_s, strict=True)
    return any(
        sum(rr for _, rr in list(shared)[1:]) > limit_s
        for _, shared in groupby(rows, key=lambda row: row[0])
    )


def _kind(row: Packet) -> tuple[object, ...]:
    return row.stated_s, row.contact, row.usable

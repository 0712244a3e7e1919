"""Empatica's IBI.csv: when the session began, then the time of each beat and its interval.

```
1609459200.000000, IBI
7.531495,0.796907         s since the session began; s since the beat before
8.343996,0.812532
15.234625,0.843784        beats are missing: 6.05 s pass without one
```

A wrist sensor leaves out every beat that it is not sure of. The time in between is an invalid
interval of its own, so that no time is lost and no two distant beats are neighbours.
"""

import re

from pacl.records.text.cells import split_rows
from pacl.records.text.table import Table, numbered_lines, to_table

_HEAD = re.compile(r"\s*(\d{9,10}(?:\.\d+)?)\s*,\s*IBI\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\d{1,9}(?:\.\d+)?\s*")
_HOLE_S = (0.2, 3600.0)  # less is rounding, not a beat; more is found as a jump in time


def read_ibi(text: str, source: str) -> Table | None:
    """Table of an IBI.csv with its times since 1970; nothing where it is another file."""
    first, _, rest = text[:200].partition("\n")
    head = _HEAD.fullmatch(first)
    if head is None or not rest.strip():
        return None
    began_s, end_s = float(head[1]), None
    lines, numbers = numbered_lines(text, source)
    rows: list[list[str]] = []
    kept: list[int] = []
    for number, row in zip(numbers[1:], split_rows(lines[1:], ","), strict=True):
        if len(row) == 2 and all(map(_NUMBER.fullmatch, row)):
            at_s, interval_s = began_s + float(row[0]), float(row[1])
            hole_s = 0.0 if end_s is None else at_s - interval_s - end_s
            if _HOLE_S[0] < hole_s < _HOLE_S[1]:
                rows.append([f"{at_s - interval_s:.6f}", f"{hole_s:.6f}", "1"])
                kept.append(number)
            row[0], end_s = f"{at_s:.6f}", at_s
        rows.append([*row, "0"])
        kept.append(number)
    names = ["time [s]", "IBI [s]", "invalid"]
    return to_table(rows, names, kept, source)

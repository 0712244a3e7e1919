"""Annotations as PhysioNet's rdann prints them: beats by their symbol, rhythms by their marks.

```
    0:00.050       18     +    0    0    0  (N
    0:00.386      139     N    0    0    0
[09:30:01.2 31/01/2003]  432     V    1    0    0
```
"""

import re

from pacl.records.annotations import BEAT_SYMBOLS
from pacl.records.errors import FormatError
from pacl.records.text.table import Table, numbered_lines, to_table

_TIME = r"(?:\[\s*)?(?:(\d{1,5}):)?(\d{1,5}):(\d\d(?:\.\d+)?)(?:\s+\d\d/\d\d/\d{4})?\s*\]?"
_LINE = re.compile(rf"\s*{_TIME}\s+(\d{{1,12}})\s+(\S)\s+-?\d+\s+-?\d+\s+-?\d+(?:\s+(.*?))?\s*")
_TITLE = re.compile(r"\s*Time\s+Sample\s*#\s+Type\b.*", re.IGNORECASE)
_DAY_S = 86_400.0


def read_rdann(text: str, source: str) -> Table | None:
    """Table of beat times and rhythms; nothing where the first line is no annotation."""
    first = text[:400].lstrip("\n").partition("\n")[0]
    if not (_LINE.fullmatch(first) or _TITLE.fullmatch(first)):
        return None
    lines, numbers = numbered_lines(text, source)
    if _TITLE.fullmatch(lines[0]):
        lines, numbers = lines[1:], numbers[1:]
    rows: list[list[str]] = []
    kept: list[int] = []
    rhythm, before, days = "", 0.0, 0
    for number, line in zip(numbers, lines, strict=True):
        at_s, symbol, note = _annotation(line, f"{source} line {number}")
        if at_s + days * _DAY_S < before - _DAY_S / 2:
            days += 1
        before = at_s + days * _DAY_S
        if symbol == "+" and note.startswith("("):
            rhythm = note.rstrip("\0 ")
        elif symbol in BEAT_SYMBOLS:
            rows.append([f"{before:.6f}", rhythm])
            kept.append(number)
    if not rows:
        raise FormatError(source, "annotations without a beat", "print those of the beats")
    return to_table(rows, ["beat time [s]", "rhythm"], kept, source)


def _annotation(line: str, where: str) -> tuple[float, str, str]:
    """Time, symbol and note of one line."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise FormatError(
            where,
            f"expected an annotation as rdann prints it, found {line.strip()[:40]!r}",
            "remove the line",
        )
    hours, minutes, seconds, _, symbol, note = match.groups(default="")
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds), symbol, note

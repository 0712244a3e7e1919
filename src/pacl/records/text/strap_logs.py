"""Logs of packets as tools print them: FIT messages as CSV, notifications of a strap.

```
Type,Local Number,Message,Field 1,Value 1,Units 1,...
Data,0,record,timestamp,"1000000000",s,...
Data,8,hrv,time,"0.594|0.588",s

A  09:00:01.250  "Heart Rate Measurement: 72 bpm,Contact is Detected,RR Interval: 812.50 ms, 790.04
ms" received
```
"""

import re
from collections.abc import Callable, Sequence

from pacl.records.errors import FormatError
from pacl.records.text.cells import split_rows
from pacl.records.text.table import Table, numbered_lines, to_table

_FIT_HEAD = re.compile(r'"?Type"?,"?Local Number"?,"?Message"?', re.IGNORECASE)
_FIT_EPOCH_S = 631_065_600  # 1989-12-31, from which FIT counts
_FIT_ABSENT = 65.0  # 65.535 fills a message up
_BLE = re.compile(r"RR[ -]?Intervals?:\s*((?:[\d.]+\s*(?:ms)?[,;\s]*)+)", re.IGNORECASE)
_BLE_SIGN = "Heart Rate Measurement:"
_CLOCK = re.compile(r"(?<![\d:])(\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 1_000

_Rows = tuple[list[list[str]], list[int]]


def read_fit_csv(text: str, source: str) -> Table | None:
    """Intervals of the `hrv` messages of a FIT file that FitCSVTool wrote as CSV."""
    if not _FIT_HEAD.match(text[:200].lstrip("\ufeff")):
        return None
    return _table(text, source, _fit_rows, ["timestamp [s]", "RR [s]"], _FIT_REMEDY)


def read_ble_log(text: str, source: str) -> Table | None:
    """Intervals of the notifications in a log of nRF Connect or nRF Logger."""
    if _BLE_SIGN not in text[:65_536]:
        return None
    return _table(text, source, _ble_rows, ["time", "RR [ms]"], "log one that sends them")


_FIT_REMEDY = (
    "switch on beat-to-beat logging on the device (Log HRV, in the settings of data recording)"
)


def _table(
    text: str,
    source: str,
    read: Callable[[Sequence[str], Sequence[int]], _Rows],
    names: list[str],
    remedy: str,
) -> Table:
    lines, numbers = numbered_lines(text, source)
    rows, kept = read(lines, numbers)
    if not rows:
        raise FormatError(source, "messages of heart rate without RR intervals", remedy)
    if not all(row[0] for row in rows):
        rows, names = [row[1:] for row in rows], names[1:]
    return to_table(rows, names, kept, source)


def _fit_rows(lines: Sequence[str], numbers: Sequence[int]) -> _Rows:
    """Each interval with the time of the message before it that has one."""
    rows: list[list[str]] = []
    kept: list[int] = []
    at = ""
    for number, line in zip(numbers, lines, strict=True):
        (cells,) = split_rows([line], ",")
        if len(cells) < 5 or cells[0].strip('" ') != "Data":
            continue
        named = [cell.strip('" ') for cell in cells]
        if named[2] == "hrv":
            values = [one for one in _NUMBER.findall(named[4]) if float(one) < _FIT_ABSENT]
            rows += [[at, one] for one in values]
            kept += [number] * len(values)
        elif "timestamp" in named:
            value = named[named.index("timestamp") + 1 :][:1]
            if value and value[0].isdecimal() and len(value[0]) < 12:
                at = str(int(value[0]) + _FIT_EPOCH_S)
    first = next((row[0] for row in rows if row[0]), "")
    return [[row[0] or first, row[1]] for row in rows], kept


def _ble_rows(lines: Sequence[str], numbers: Sequence[int]) -> _Rows:
    rows: list[list[str]] = []
    kept: list[int] = []
    for number, line in zip(numbers, lines, strict=True):
        found = _BLE.search(line[:_LONGEST])
        if found is None:
            continue
        clock = _CLOCK.search(line[: found.start()])
        values = _NUMBER.findall(found[1])
        rows += [[clock[1] if clock else "", one] for one in values]
        kept += [number] * len(values)
    return rows, kept

"""Exports with their own layout; those of Polar (.hrm) and Kubios are read here."""

import re
from dataclasses import replace
from datetime import datetime

from pacl.records.errors import FormatError
from pacl.records.text.cells import split_rows
from pacl.records.text.empatica import read_ibi
from pacl.records.text.rdann import read_rdann
from pacl.records.text.strap_logs import read_ble_log, read_fit_csv
from pacl.records.text.table import (
    Table,
    check_size,
    is_unit_row,
    numbered_lines,
    to_table,
)

_HRM = re.compile(r"^\[HRData\][ \t]*$", re.IGNORECASE | re.MULTILINE)
_HRM_SETTING = re.compile(r"^(Interval|Date|StartTime)[ \t]*=[ \t]*(\S+)", re.MULTILINE)
_HRM_RR = "238"  # Interval=238 means RR intervals in [HRData]; else seconds per line
_KUBIOS = re.compile(r"^[ \t]*RR[ -]INTERVAL DATA\b.*$", re.IGNORECASE | re.MULTILINE)
_KUBIOS_NAMES = {"time", "rr interval"}


def read_export(text: str, source: str) -> Table | None:
    """Table of a known export, or nothing where the text is a plain table."""
    for read in (read_ibi, read_rdann, read_fit_csv, read_ble_log):
        if (table := read(text, source)) is not None:
            return table
    if found := _HRM.search(text):
        return _read_hrm(text, found.start(), source)
    if found := _KUBIOS.search(text):
        return _read_kubios(text, found.end(), source)
    return None


def _read_hrm(text: str, at: int, source: str) -> Table:
    """Read a Polar .hrm file: settings in sections, then `[HRData]` with one RR in ms per line."""
    settings = dict(_HRM_SETTING.findall(text[:at]))
    if (interval := settings.get("Interval", _HRM_RR)) != _HRM_RR:
        raise FormatError(
            source,
            f"[HRData] holds heart rate every {interval[:20]} s, expected RR intervals "
            f"(Interval={_HRM_RR})",
            "record in R-R mode, averaged heart rate holds no beats",
        )
    lines, numbers = numbered_lines(_blank(text, at), source)
    stop = next((i for i, line in enumerate(lines[1:], 1) if line.startswith("[")), len(lines))
    if stop == 1:
        raise FormatError(source, "[HRData] has no RR interval", "leave the file out")
    rows = [line.split("\t")[:1] for line in lines[1:stop]]
    table = to_table(rows, ["RR [ms]"], numbers[1:stop], source)
    return replace(table, started=_hrm_started(settings))


def _hrm_started(settings: dict[str, str]) -> datetime | None:
    date, time = settings.get("Date", ""), settings.get("StartTime", "")
    try:
        return datetime.strptime(f"{date} {time.partition('.')[0]}", "%Y%m%d %H:%M:%S")
    except ValueError:
        return None


def _read_kubios(text: str, at: int, source: str) -> Table:
    """Read the last part of a Kubios text report: time and RR in s, beside spectra.

    ```
    RR INTERVAL DATA and SPECTRUM ESTIMATES,
            ,    SAMPLE 1,            ,            ,
            ,     RR Data,            ,FFT spectrum,
            ,        Time, RR interval,   Frequency,  ...
            ,         (s),         (s),        (Hz),  ...
            ,       0.766,       0.766,       0.000,  ...
    ```
    """
    lines, numbers = numbered_lines(_blank(text, at), source)
    delimiter = next((d for d in ("\t", ";") if d in lines[0]), ",")
    check_size(lines, delimiter, max(line.count(delimiter) for line in lines) + 1, source)
    rows = [[cell.strip() for cell in row] for row in split_rows(lines, delimiter)]
    named = (i for i, row in enumerate(rows) if "rr interval" in map(str.lower, row))
    head = next(named, None)
    if head is None:
        raise FormatError(
            source, "a Kubios report without RR intervals", "export it with the RR data included"
        )
    wanted = [i for i, name in enumerate(rows[head]) if name.lower() in _KUBIOS_NAMES]
    names = [rows[head][i] for i in wanted]
    first = head + 1
    if first < len(rows) and is_unit_row(rows[first], rows[head]):
        names = [f"{name} {rows[first][i]}" for name, i in zip(names, wanted, strict=True)]
        first += 1
    cells = [[row[i] if i < len(row) else "" for i in wanted] for row in rows[first:]]
    while cells and not any(cells[-1]):
        cells.pop()  # the spectra go on below the last interval
    if not cells:
        raise FormatError(source, "a Kubios report without RR intervals", "leave the file out")
    comma = delimiter != "," and any("," in cell for row in cells[:9] for cell in row)
    return to_table(cells, names, numbers[first : first + len(cells)], source, comma)


def _blank(text: str, at: int) -> str:
    """Take away what comes before `at` but its line ends, so that line numbers stay right."""
    return "\n" * text.count("\n", 0, at) + text[at:]

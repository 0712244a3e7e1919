"""Lines before a table: who was recorded, with which device, and when."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pacl.records.text.cells import split_rows
from pacl.records.text.columns import names_rr
from pacl.records.text.table import (
    MAX_LINE_CHARS,
    Table,
    is_header,
    numbered_lines,
    read_table,
)

_SEARCHED = 60
_DELIMITERS = ("\t", ";", ",", None)
_STAMP = re.compile(
    r"(?<!\d)(?:(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)|(?P<d2>\d\d?)\.(?P<m2>\d\d?)\.(?P<y2>20\d\d))"
    r"[ T,;]+(?P<h>\d\d?):(?P<min>\d\d)(?::(?P<s>\d\d))?(?!\d)"
)
"""`2026-04-01 09:00:05` and `1.4.2026 09:00:05`; of 4/1/2026 nobody knows what comes first."""


_LATER = ("y2", "m2", "d2")


def read_below_preamble(text: str, source: str) -> Table | None:
    """The table below lines about it; nothing where it begins at the first line."""
    all_lines = text.split("\n", _SEARCHED + 2)[: _SEARCHED + 2]
    head = "\n".join(line[:MAX_LINE_CHARS] for line in all_lines)
    if not head.strip():
        return None
    lines, numbers = numbered_lines(head, source)
    start = table_start(lines)
    if not start:
        return None
    above = numbers[start] - 1
    rest = text.split("\n", above)[-1]
    table = read_table("\n" * above + rest, source)
    return replace(table, started=started_by(all_lines[:above]))


def table_start(lines: Sequence[str]) -> int:
    """Line at which a table with a column of RR intervals begins, after lines about it.

    The table begins at the first line unless a later one has the names, and one with numbers in as
    many columns follows.
    """
    if not lines or _is_rr_header(lines[0]):
        return 0
    return next(
        (
            at
            for at in range(1, min(_SEARCHED, len(lines) - 1))
            if lines[at][:1].isalpha() and _is_rr_header(lines[at], lines[at + 1])
        ),
        0,
    )


def _is_rr_header(line: str, below: str | None = None) -> bool:
    """Whether a line has names, RR intervals among them, above a line with numbers or units."""
    for delimiter in _DELIMITERS:
        (cells,) = split_rows([line], delimiter)
        names = [cell for cell in cells if cell.strip()]
        if names_rr(names) and all(is_header([name]) for name in names):
            if below is None:
                return True
            (under,) = split_rows([below], delimiter)
            return abs(len(under) - len(cells)) <= 1 and bool(re.search(r"\d|\(", below))
    return False


def started_by(lines: Sequence[str]) -> datetime | None:
    """The one date and time that lines before a table name."""
    found = {match.groups(): match for line in lines for match in _STAMP.finditer(line)}
    if len(found) != 1:
        return None
    (match,) = found.values()
    part = {name: int(text) for name, text in match.groupdict().items() if text}
    try:
        date = [part.get(one, part.get(other, 0)) for one, other in zip("ymd", _LATER, strict=True)]
        return datetime(date[0], date[1], date[2], part["h"], part["min"], part.get("s", 0))
    except ValueError:
        return None

"""Rows that hold several intervals, as packets of a strap do: each becomes a row of its own.

```
time;rr              time,RR1,RR2        becomes    time  rr
10.0;[812, 790]      10.0,812,790                   10.0  812
11.9;805             11.9,805,                      10.0  790
                                                    11.9  805
```
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pacl.records.text.table import MAX_LINES, Table
from pacl.records.text.values import name_and_unit

_MOST_IN_ROW = 1_000
_EMPTY = {"", "nan", "na", "n/a", "null", "none", "-", "[]", "()"}
_NUMBERED = re.compile(r"(.*[^\W\d])(\d{1,2})")
_SURE = re.compile(r"[;|\[\]()]|[\d.]\s+[\d.]|[\d.],\s+[\d.]")
_SEPARATOR = re.compile(r"[;|,\s]+")


def numbered_groups(names: Sequence[str], known: Iterable[str]) -> list[int]:
    """Columns `RR1`, `RR2` and so on, in their order; empty where there are not two."""
    wanted = frozenset(known)
    found: dict[str, list[tuple[int, int]]] = {}
    for at, title in enumerate(names):
        match = _NUMBERED.fullmatch(name_and_unit(title)[0])
        if match and match[1] in wanted:
            found.setdefault(match[1], []).append((int(match[2]), at))
    groups = [sorted(one) for one in found.values() if len(one) > 1]
    if len(groups) != 1 or len({number for number, _ in groups[0]}) != len(groups[0]):
        return []
    return [at for _, at in groups[0]]


def join_columns(table: Table, columns: Sequence[int]) -> Table:
    """Put the cells of several columns into lists in the first of them; the others go."""
    cells = [
        "|".join(cell for cell in row if not is_empty(cell))
        for row in zip(*(table.columns[at] for at in columns), strict=True)
    ]
    first, *others = columns
    kept = [at for at in range(len(table.columns)) if at not in others]
    name, unit = name_and_unit(table.names[first])
    title = name.rstrip("0123456789") + (f" [{unit}]" if unit else "")
    return replace(
        table,
        names=tuple(title if at == first else table.names[at] for at in kept),
        columns=tuple(cells if at == first else table.columns[at] for at in kept),
    )


def is_empty(cell: str) -> bool:
    """Whether a cell holds no interval."""
    return cell.strip().lower() in _EMPTY


def holds_lists(table: Table, column: int) -> bool:
    """Whether cells of a column are lists of numbers.

    A bare comma, as in `812,790`, may be a decimal comma: it separates only where all parts are
    whole intervals in ms and some cells have none or several.
    """
    cells = table.columns[column]
    joined = "\n".join(cells)
    if table.decimal_comma:
        return "|" in joined
    if any(mark in joined for mark in ";|[( ") and any(map(_SURE.search, cells)):
        return True
    if "," not in joined:
        return False
    commas = {cell.count(",") for cell in cells}
    parts = (part.strip() for cell in cells for part in cell.split(","))
    return len(commas) > 1 and all(re.fullmatch(r"[2-9]\d\d|[12]\d\d\d", part) for part in parts)


def one_interval_a_row(table: Table, column: int) -> Table:
    """Repeat each row for every interval in its list; a row with an empty list goes."""
    rows: list[int] = []
    cells: list[str] = []
    for row, cell in enumerate(table.columns[column]):
        parts = [] if is_empty(cell) else _SEPARATOR.split(cell.strip(" \t[]()|"))[:_MOST_IN_ROW]
        cells += parts
        rows += [row] * len(parts)
        if len(rows) > MAX_LINES:
            return table  # the lists stay as they are, and no number is read from them
    if not rows:
        return table
    taken = table.take(rows)
    columns = tuple(cells if at == column else one for at, one in enumerate(taken.columns))
    return replace(taken, columns=columns)


def without_empty(table: Table, column: int) -> Table:
    """Leave out rows of packets that carried no interval."""
    rows = [row for row, cell in enumerate(table.columns[column]) if not is_empty(cell)]
    return table if len(rows) in (0, len(table)) else table.take(rows)

"""One row for each interval, where a row of a file holds a packet of them."""

from pacl.records.text.columns import RR_NAMES, TIME_NAMES, find_column
from pacl.records.text.lists import (
    holds_lists,
    join_columns,
    numbered_groups,
    one_interval_a_row,
    without_empty,
)
from pacl.records.text.table import Table
from pacl.records.text.validity import FLAGS
from pacl.records.text.values import name_and_unit

_RATE_NAMES = {"hr", "hrbpm", "heartrate", "heartratebpm", "bpm"}


def one_row_an_interval(table: Table, source: str, column: str | int | None) -> Table:
    """Divide rows that hold several intervals: in a list, or in columns `RR1`, `RR2`, and so on.

    Packets without an interval go where a heart rate and a time show that rows are packets.
    """
    if column is None and (group := numbered_groups(table.names, RR_NAMES)):
        table = join_columns(table, group)
        return one_interval_a_row(table, group[0])
    rr = _intervals(table, source, column)
    if rr is None:
        return table
    if holds_lists(table, rr):
        return one_interval_a_row(table, rr)
    known = {name_and_unit(name)[0] for name in table.names}
    if known & _RATE_NAMES and known & TIME_NAMES and not known & FLAGS:
        return without_empty(table, rr)
    return table


def _intervals(table: Table, source: str, column: str | int | None) -> int | None:
    """The column of intervals, where it is sure."""
    if column is not None:
        return find_column(table, source, column, "column")
    if len(table.columns) == 1:
        return 0
    known = [name_and_unit(name)[0] for name in table.names]
    found = [at for at, name in enumerate(known) if name in RR_NAMES]
    return found[0] if len(found) == 1 else None

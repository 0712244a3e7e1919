"""Rhythm labels beside intervals, as spans."""

from collections.abc import Mapping
from itertools import groupby

from pacl.records.errors import RhythmError
from pacl.records.rhythm import Rhythm, Span
from pacl.records.text.table import Table

_OTHER = (
    *("AB", "AFL", "ASYS", "B", "BI", "BII", "HGEA", "IVR", "J", "NOD", "OTHER"),
    *("P", "PREX", "SVTA", "T", "VER", "VF", "VFL", "VT"),
)
LABELS: Mapping[str, Rhythm] = {
    **dict.fromkeys(("SR", "N", "NSR", "SBR", "0"), Rhythm.SR),
    **dict.fromkeys(("AF", "AFIB", "1"), Rhythm.AF),
    **dict.fromkeys(_OTHER, Rhythm.OTHER),
    **dict.fromkeys(("", "UNKNOWN"), Rhythm.UNKNOWN),
}
"""Labels as they are read, without the bracket that WFDB puts before a mark, in capitals."""


def read_spans(
    table: Table, column: int | None, rhythms: Mapping[str, Rhythm] | None, source: str
) -> tuple[Span, ...]:
    """Spans of equal labels; without a column one span of `Rhythm.UNKNOWN`."""
    if column is None:
        return (Span(0, len(table.line_numbers), Rhythm.UNKNOWN),)
    own = {key.strip(): rhythm for key, rhythm in (rhythms or {}).items()}
    spans = []
    at = 0
    for cell, group in groupby(table.columns[column]):
        mark = cell.strip()
        rhythm = own.get(mark, LABELS.get(mark.upper().removeprefix("(")))
        if rhythm is None:
            accepted = ", ".join(label for label in (*LABELS, *own) if label)
            raise RhythmError(
                f"{source} line {table.line_numbers[at]}",
                f"unknown rhythm {mark[:40]!r}, expected one of {accepted} or nothing",
                f"map it with rhythms={{{mark[:40]!r}: Rhythm.OTHER}}",
            )
        stop = at + sum(1 for _ in group)
        spans.append(Span(at, stop, rhythm, mark))
        at = stop
    return tuple(spans)

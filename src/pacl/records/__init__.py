"""Recordings: RR intervals with their rhythms, from whatever they were kept in."""

from pacl.records.errors import (
    FormatError,
    LayoutError,
    RecordError,
    RhythmError,
    ValueRangeError,
)
from pacl.records.reader import Reader
from pacl.records.record import GAP_MS, Record
from pacl.records.rhythm import Rhythm, Span, runs, tile

__all__ = [
    "GAP_MS",
    "FormatError",
    "LayoutError",
    "Reader",
    "Record",
    "RecordError",
    "Rhythm",
    "RhythmError",
    "Span",
    "ValueRangeError",
    "runs",
    "tile",
]

"""Marks by hand: a file beside each recording that only grows, so that all can be taken back."""

from pacl.edits.appending import append
from pacl.edits.edit import MOST_NOTE, Edit, EditKind, Entry, Step, StepKind, entry_from
from pacl.edits.errors import EditError
from pacl.edits.lines import FORMAT
from pacl.edits.location import edits_path
from pacl.edits.log import EditLog

__all__ = [
    "FORMAT",
    "MOST_NOTE",
    "Edit",
    "EditError",
    "EditKind",
    "EditLog",
    "Entry",
    "Step",
    "StepKind",
    "append",
    "edits_path",
    "entry_from",
]

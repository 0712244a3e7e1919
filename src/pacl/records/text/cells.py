"""A line of text as cells; a list of numbers inside a line stays one cell."""

import csv
import re
from collections.abc import Sequence

_NUMBER = r"[+]?\d{1,9}(?:\.\d{1,9})?"
_LIST = re.compile(
    rf'"?[\[(]\s*((?:{_NUMBER}(?:\s*[,;|]\s*|\s+))*+(?:{_NUMBER})?)\s*[\])]"?'
    rf'|"({_NUMBER}(?:(?:\s*[;|]\s*|,\s+|\s+){_NUMBER})++)"'
)
_SEPARATOR = re.compile(r"\s*[,;|]\s*|\s+")
_LONGEST = 4_096


def join_lists(lines: Sequence[str]) -> list[str]:
    """Write `[812, 790]` and `"812; 790"` as `812|790`."""
    return [_joined(line) if _may_hold(line) else line for line in lines]


def _may_hold(line: str) -> bool:
    return len(line) <= _LONGEST and ("[" in line or '"' in line or "(" in line)


def _joined(line: str) -> str:
    return _LIST.sub(lambda found: _SEPARATOR.sub("|", (found[1] or found[2] or "").strip()), line)


def split_rows(lines: Sequence[str], delimiter: str | None) -> list[list[str]]:
    """Cells of each line; `None` splits at runs of blanks."""
    if delimiter is None:
        return [[cell.strip('"') for cell in line.split()] for line in lines]
    return [_unquote(line, delimiter) if '"' in line else line.split(delimiter) for line in lines]


def _unquote(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
    except (csv.Error, StopIteration):
        return line.split(delimiter)

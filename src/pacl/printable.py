"""Untrusted text, made safe for terminals and spreadsheets."""

import re

_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
"""Control characters, ends of lines and paragraphs, and bytes that are not UTF-8."""
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks that turn the direction of writing, so that a name looks like another."""
_CONTROL, _UNSAFE = re.compile(f"[{_CONTROLS}]"), re.compile(f"[{_CONTROLS}{_DIRECTIONS}]")

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet takes for a formula."""
_NUMBER = r"[-+]?[\d.]+%?"
_FIGURES = re.compile(rf"-|{_NUMBER}(?: (?:±|to) {_NUMBER})?(?: \[{_NUMBER}, {_NUMBER}\])?[†* ]*")
"""A dash, and numbers with their limits such as `-0.1 [-0.2, 0.3]`, are no formulas."""


def printable(text: str) -> str:
    r"""Replace what would steer a terminal, or begin a new line, by a backslash escape.

    Use it on names of files, records and subjects, or on a message of one line.

    Examples
    --------
    >>> print(printable("night\x1b[2J\n.txt"))
    night\x1b[2J\n.txt
    """
    return _UNSAFE.sub(_escaped, text)


def on_one_line(text: str) -> str:
    """The same, but marks of the direction of writing stay: names in Arabic or Hebrew have them."""
    return _CONTROL.sub(_escaped, text)


def plain_cell(text: str, *, figures: bool = False) -> str:
    r"""A name as plain text, for terminals and spreadsheets.

    What a spreadsheet would take for a formula gets an apostrophe in front, control characters are
    escaped. With `figures`, a number with its limits stays as it is.

    Examples
    --------
    >>> [plain_cell(name) for name in ("night", "=1+1", "a\x1b[2J")]
    ['night', "'=1+1", 'a\\x1b[2J']
    """
    harmless = figures and _FIGURES.fullmatch(text)
    return ("'" if text.startswith(FORMULA) and not harmless else "") + printable(text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")

"""Names in CSV files, as text that neither a spreadsheet nor a terminal acts on."""

import re

from pacl.printable import printable

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet takes for a formula."""

_NUMBER = r"[-+]?[\d.]+%?"
_FIGURES = re.compile(rf"-|{_NUMBER}(?: (?:±|to) {_NUMBER})?(?: \[{_NUMBER}, {_NUMBER}\])?[†* ]*")
"""A dash, and numbers with their limits such as `-0.1 [-0.2, 0.3]`, are no formulas."""


def plain_cell(text: str, *, figures: bool = False) -> str:
    r"""A name as text, to terminals and spreadsheets alike.

    What a spreadsheet would take for a formula is given an apostrophe in front, control characters
    are escaped. With `figures`, a number with its limits stays as it is.

    Examples
    --------
    >>> [plain_cell(name) for name in ("night", "=1+1", "a\x1b[2J")]
    ['night', "'=1+1", 'a\\x1b[2J']
    """
    harmless = figures and _FIGURES.fullmatch(text)
    return ("'" if text.startswith(FORMULA) and not harmless else "") + printable(text)

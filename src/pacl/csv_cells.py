"""Names in CSV files, as text that neither a spreadsheet nor a terminal acts on."""

import re

from pacl.printable import printable

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet takes for a formula."""

_NUMBER = r"[-+]?[\d.]+%?"
_FIGURES = re.compile(rf"-|{_NUMBER}(?: (?:±|to) {_NUMBER})?(?: \[{_NUMBER}, {_NUMBER}\])?[†* ]*")
"""A dash, and numbers with their limits such as `-0.1 [-0.2, 0.3]`, are no formulas."""


def plain_cell(name: str) -> str:
    r"""A name as text, to terminals and spreadsheets alike.

    What a spreadsheet would take for a formula is given an apostrophe in front, control characters
    are escaped.

    Examples
    --------
    >>> [plain_cell(name) for name in ("night", "=1+1", "a\x1b[2J")]
    ['night', "'=1+1", 'a\\x1b[2J']
    """
    return ("'" if name.startswith(FORMULA) and not _FIGURES.fullmatch(name) else "") + printable(
        name
    )

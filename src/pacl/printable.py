"""Text from outside, made safe to show."""

import unicodedata

UNSAFE = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode categories: control characters, halves of characters, ends of lines and paragraphs."""
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Marks that turn the direction of writing, so that a name looks like another."""


def printable(text: str) -> str:
    r"""Replace what would steer a terminal, or begin a new line, by a backslash escape.

    Names of files, records and patients may hold any character. Use this on each name, or on a
    message of one line.

    Examples
    --------
    >>> print(printable("night\x1b[2J\n.txt"))
    night\x1b[2J\n.txt
    """
    return "".join(_escaped(char) if _unsafe(char) else char for char in text)


def _unsafe(char: str) -> bool:
    return unicodedata.category(char) in UNSAFE or char in DIRECTIONS


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")

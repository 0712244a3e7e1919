import doctest

import pytest

from pacl.cli import messages as module
from pacl.cli.messages import counted, printable_lines
from pacl.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nacht-über.txt", "nacht-über.txt"),
        ("心房細動 1.csv", "心房細動 1.csv"),
        ("C:\\data\\a.txt", "C:\\data\\a.txt"),
        ("\x1b[2J", r"\x1b[2J"),
        ("a\nb\rc\td", r"a\nb\rc\td"),
        ("\x00\x07\x08\x7f\x9b", r"\x00\x07\x08\x7f\x9b"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("a\u202egpj.exe", r"a\u202egpj.exe"),
        ("\udcff", r"\udcff"),
        ("", ""),
    ],
)
def test_control_characters_are_escaped_and_nothing_else(text, shown):
    assert printable(text) == shown
    assert printable(printable(text)) == shown


def test_only_our_own_line_breaks_are_kept():
    assert printable_lines("a\nb\x1b:\n  key: no\n  and 1 more") == (
        "a\\nb\\x1b:\n  key: no\n  and 1 more"
    )


def test_the_examples_are_true():
    assert doctest.testmod(module).failed == 0


def test_one_is_no_plural():
    assert [counted(number, "epoch") for number in (0, 1, 2)] == ["0 epochs", "1 epoch", "2 epochs"]

"""Messages of a command: names made safe to print, counts, and files that are left out."""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.records import Reader


def printable_lines(text: str) -> str:
    r"""Make a message safe to print; its further lines are indented by two spaces, as ours are.

    Examples
    --------
    >>> print(printable_lines("a\nb.toml:\n  seed: too small"))
    a\nb.toml:
      seed: too small
    """
    return "\n  ".join(map(printable, text.split("\n  ")))


def say(text: object) -> None:
    """Print a line that holds names."""
    print(printable_lines(str(text)))


def print_error(error: object) -> None:
    """Print what is wrong on standard error, which may be closed."""
    with suppress(OSError):
        print(f"pacl: {printable_lines(str(error))}", file=sys.stderr, flush=True)


def print_left_out(reader: "Reader") -> None:
    """Name files beside the recordings that are not read, one line for each reason."""
    for line in reader.left_out:
        print_error(f"left out: {line}")


def counted(number: int, noun: str) -> str:
    """A number with its noun, which takes an s unless there is exactly one."""
    return f"{number} {noun}{'s' * (number != 1)}"

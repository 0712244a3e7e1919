"""Text from outside, told on a terminal."""

import sys
from contextlib import suppress

from pacl.printable import printable as printable


def printable_lines(text: str) -> str:
    r"""The same for a message whose further lines are indented by two spaces, as ours are.

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
    """Tell what is wrong on standard error, as every command does; nobody may be listening."""
    with suppress(OSError):
        print(f"pacl: {printable_lines(str(error))}", file=sys.stderr, flush=True)

"""The examples of a command: command lines in its docstring, which its help shows last."""

import inspect
import re
import shlex
from collections.abc import Callable
from typing import Any

HEADING = re.compile(r"^Examples\n-+\n", re.MULTILINE)


def examples_of(command: Callable[..., Any]) -> tuple[str, ...]:
    """Each example line in the docstring of a command, without its prompt.

    Examples
    --------
    >>> def detect():
    ...     '''Find AF.
    ...
    ...     Examples
    ...     --------
    ...     $ pacl detect night.csv
    ...     '''
    >>> examples_of(detect)
    ('pacl detect night.csv',)
    """
    _, *found = HEADING.split(inspect.getdoc(command) or "")
    lines = found[0].splitlines() if found else []
    return tuple(line.removeprefix("$ ") for line in lines if line.startswith("$ "))


def as_epilogue(title: str, lines: tuple[str, ...]) -> str:
    """Command lines as the help shows them: in Markdown."""
    return "\n".join(["```text", f"{title}:", *(f"  {line}" for line in lines), "```"])


def words_of(example: str) -> list[str]:
    """The words of an example that follow `pacl`, without what is before a pipe.

    Examples
    --------
    >>> words_of("cat rr.txt | pacl detect - --unit s  # in seconds")
    ['detect', '-', '--unit', 's']
    """
    words = shlex.split(example, comments=True)
    return words[words.index("pacl") + 1 :]

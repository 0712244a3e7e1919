"""The real command line: whether a command could be given so, without running it."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, ValidationError

from pacl.cli.app import COMMANDS, build
from pacl.cli.options import STANDARD_INPUT, with_a_flag_each
from pacl.errors import PaclError

ALWAYS = {"--help", "-h", "--version"}
ALONE = {"--verbose", "--install-completion", "--shell"}
"""What `pacl` understands without a command."""


@cache
def _app(command: str) -> Any:
    return build(command)


@cache
def options_of(command: str) -> frozenset[str]:
    """The names of all options of a command."""
    found = _app(command)[command].assemble_argument_collection()
    names = {name for argument in found for name in argument.names}
    return frozenset({name for name in names if name.startswith("-")} | ALWAYS)


@cache
def all_options() -> frozenset[str]:
    """The names of the options of any command."""
    return frozenset().union(*(options_of(command) for command in COMMANDS))


def fault_of(words: Sequence[str], *, complete: bool = True) -> str | None:
    """What is wrong with the words after `pacl`; None if they are a command.

    Names and values of options are those of today: earlier names work, but are not documented. A
    part of a command, which is not complete, may lack an argument.
    """
    if not words or words[0].startswith("-"):
        return None if set(words) <= ALWAYS | ALONE else f"pacl has no option {words[0]}"
    command = words[0]
    if command not in COMMANDS:
        return f"there is no command {command}"
    given = [word.partition("=")[0] for word in words if word.startswith("--")]
    if unknown := sorted(set(given) - options_of(command)):
        return f"pacl {command} has no option {', '.join(unknown)}"
    refusal = _refusal(words)
    if complete or not isinstance(refusal, MissingArgumentError):
        return refusal and str(refusal)
    if not given:
        return None
    positional, output = [command, "x", *words[1:]], ["--output", "x"]
    for filled in (positional, [*words, *output], [*positional, *output]):
        if isinstance(refusal := _refusal(filled), CoercionError | ValidationError):
            return str(refusal)
    return None


def _refusal(words: Sequence[str]) -> Exception | None:
    """What the parser says against some words."""
    try:
        _app(words[0]).parse_args(
            with_a_flag_each([STANDARD_INPUT if word == "-" else word for word in words]),
            exit_on_error=False,
            print_error=False,
        )
    except (CycloptsError, PaclError) as error:
        return error
    return None

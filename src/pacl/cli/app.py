"""The command itself: which commands there are, and how errors are reported."""

import os
import sys
from importlib import import_module

from cyclopts import App, CycloptsError, Group, MissingArgumentError, Parameter

import pacl
from pacl.cli.command_table import (
    COMMANDS,
    FLAGS,
    GROUPS,
    OPTIONS,
    as_epilogue,
    examples_of,
    module_of,
)
from pacl.cli.messages import print_error
from pacl.cli.options import STANDARD_INPUT, as_named_now, shown_default, with_a_flag_each
from pacl.cli.stopping import heed_signals
from pacl.cli.streams import drop_output, flush_output, open_streams
from pacl.errors import PaclError
from pacl.printable import printable

EXTRAS = {
    "bleak": "live",
    "distributed": "cluster",
    "filelock": "train",
    "fsspec": "cluster",
    "h5py": "iridia",
    "matplotlib": "plots",
    "onnx": "train",
    "onnxscript": "train",
    "optuna": "train",
    "pooch": "download",
    "pyarrow": "train",
    "safetensors": "train",
    "scipy": "train",
    "sklearn": "train",
    "sleepecg": "ecg",
    "starlette": "view",
    "threadpoolctl": "train",
    "tomli_w": "download",
    "torch": "train",
    "urllib3": "download",
    "uvicorn": "view",
}
"""The extra that each package belongs to, by the name it is imported by."""

FOR_TABLES = {"detect", "evaluate-rhythm", "features", "inspect", "prepare"}
"""Commands that need packages of training for tables of a cohort alone."""


USUAL = {
    "--help": "Show this help; after a command, that of the command.",
    "--version": "Show the version; add --verbose for a bug report.",
}
FIRST = (
    "pacl simulate nights --layout text --patients 3",
    "pacl detect nights",
    "pacl detect --help",
)


def build(asked: str | None) -> App:
    """The command line; of the commands, only the one asked for is imported.

    The others are named by path and listed by a summary; the one asked for explains itself by its
    docstring.
    """
    panels = {title: Group(title, sort_key=at) for at, title in enumerate((*GROUPS, OPTIONS))}
    app = App(
        name="pacl",
        help="AF detection in heart beats, and subject-aware representation learning.",
        help_epilogue=as_epilogue("Try it", FIRST),
        version=pacl.__version__,
        help_format="markdown",
        default_parameter=Parameter(negative="", show_default=shown_default),
        group_commands=panels[OPTIONS],
        suppress_keyboard_interrupt=False,
    )
    for at, (flag, says) in enumerate(USUAL.items()):
        app[flag].help, app[flag].sort_key = says, at
    for at, (name, listed) in enumerate({**COMMANDS, **FLAGS}.items()):
        module = module_of(name)
        place = f"pacl.cli.{module}"
        if name == asked:
            command = getattr(import_module(place), module)
            epilogue = as_epilogue("Examples", examples_of(command))
            app.command(command, name=name, group=panels[listed.group], help_epilogue=epilogue)
        else:
            app.command(
                f"{place}:{module}",
                name=name,
                help=listed.summary,
                group=panels[listed.group],
                sort_key=at,
            )
    return app


def main() -> None:
    """Run the command line.

    Errors that the user can correct, in the command, in the data or in what is installed, are
    printed on standard error and end with status 2. Status 1 is for commands that look for faults
    and found some.
    """
    with heed_signals():
        open_streams()
        words = [STANDARD_INPUT if word == "-" else word for word in sys.argv[1:]]
        status = _run(with_a_flag_each(as_named_now(words)))
        drop_output()
        if status:
            sys.exit(status)


def _run(words: list[str]) -> int:
    """The status that a command ends with; the parser would take a lone hyphen for a flag."""
    try:
        try:
            _call(words)
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # rich makes status 1 of it
                raise end.__context__ from None
            if not isinstance(end.code, int | None):
                raise
            flush_output()
            return end.code or 0
        flush_output()
    except CycloptsError as error:
        _print_refusal(error)
    except BrokenPipeError:  # the reader of our output has stopped reading
        return 141
    except (PaclError, OSError) as error:
        print_error(error)
    except ImportError as error:
        missing = why_missing(error, words[0])
        if missing is None:
            raise
        print_error(missing)
    except KeyboardInterrupt:
        print_error("interrupted")
        return 130
    else:
        return 0
    return 2


def _call(words: list[str]) -> None:
    """Run the command; --print-config needs no output."""
    if sorted(words) == ["--verbose", "--version"]:
        from pacl.cli.version_report import version_report

        print(version_report())
        return
    app = build(words[0] if words else None)
    try:
        app(words, exit_on_error=False, print_error=False)
    except MissingArgumentError as error:
        if "--print-config" not in words or "--output" not in _left_out(error):
            raise
        app([*words, "--output", os.devnull], exit_on_error=False, print_error=False)


def _left_out(error: MissingArgumentError) -> tuple[str, ...]:
    """The names of a parameter that was not given at all."""
    argument = error.argument
    return () if argument is None or argument.tokens else tuple(argument.names)


def _print_refusal(error: CycloptsError) -> None:
    """Print what is wrong with the flags."""
    if isinstance(error, MissingArgumentError) and (names := _left_out(error)):
        command = " ".join(["pacl", *(error.command_chain or ())])
        print_error(f"{' or '.join(names)} is missing, it is required; see {command} --help")
        return
    from cyclopts import CycloptsPanel

    assert error.console is not None  # noqa: S101 - for the type checker
    harmless = all(word == printable(word) for word in sys.argv)
    error.console.print(CycloptsPanel(error if harmless else printable(str(error))))


def why_missing(error: ImportError, command: str) -> str | None:
    """What to install for a command; None where the module is part of no extra, which is a bug."""
    cause: BaseException | None = error
    while isinstance(cause, ImportError) and not isinstance(cause, ModuleNotFoundError):
        cause = cause.__cause__  # the parser wraps the error of the import
    name = cause.name or "" if isinstance(cause, ModuleNotFoundError) else ""
    extra = EXTRAS.get(name)
    if extra is None:
        return None
    if command in FOR_TABLES and name in ("filelock", "pyarrow", "scipy"):
        extra = "cluster"
    return (
        f"pacl {command} needs {name}, which is not installed; "
        f"install it with: pip install 'pacl[{extra}]'"
    )

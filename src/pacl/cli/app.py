"""The command itself: which commands there are, and how errors are reported."""

import os
import sys

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter

import pacl
from pacl.cli.messages import print_error
from pacl.cli.options import STANDARD_INPUT, as_named_now
from pacl.cli.stopping import heed_signals
from pacl.cli.streams import drop_output, flush_output, open_streams
from pacl.errors import PaclError
from pacl.printable import printable

COMMANDS = {
    "reproduce": "Run the paper's study and report which claims hold.",
    "detect": "Find AF in recordings or a stream, without any training.",
    "view": "Look at recordings in the browser, and say what is AF and what is not.",
    "listen": "Listen to a heart rate strap: show the beats, find AF, write an RR file.",
    "adapt": "Learn one person, so that AF is found by their own sinus rhythm.",
    "features": "Compute features of heart rate variability of recordings.",
    "inspect": "Count what recordings hold, and draw one.",
    "prepare": "Cut recordings into windows that leak no patient.",
    "audit": "Find leaks in a window set, or in an existing split.",
    "train": "Train an encoder on the training patients of a window set.",
    "tune": "Search for better settings, on the validation patients alone.",
    "evaluate": "Evaluate a run on its test patients, or on other patients.",
    "evaluate-rhythm": "Evaluate the AF detector on annotated recordings.",
    "systems": "Compare systems on windows of any signal, on subjects never seen.",
    "rivals": "Compare all systems that the paper names under one protocol.",
    "weights": "Make weights that need no labels of new patients.",
    "export": "Write a run or weights as a file for ONNX Runtime, or as C.",
    "embed": "Write the embeddings of windows.",
    "compare": "Put runs side by side.",
    "import-checkpoint": "Make a run of the weights the paper's authors released.",
    "simulate": "Write a cohort of simulated patients.",
    "download": "Fetch IRIDIA-AF, LTAFDB or AFDB.",
}

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


def build(asked: str | None) -> App:
    """The command line; commands are named by path, so that only the one asked for is imported.

    The others are listed by a summary, the one asked for explains itself by its docstring.
    """
    app = App(
        name="pacl",
        help="AF detection in heart beats, and subject-aware representation learning.",
        version=pacl.__version__,
        help_format="markdown",
        default_parameter=Parameter(negative=""),
        suppress_keyboard_interrupt=False,
    )
    for name, summary in COMMANDS.items():
        listed = None if name == asked else summary
        module = name.replace("-", "_")
        app.command(f"pacl.cli.{module}:{module}", name=name, help=listed)
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
        status = _run(as_named_now(words))
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

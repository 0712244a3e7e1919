"""The command itself: which commands there are, and how an error reaches the person."""

import sys

from cyclopts import App, CycloptsError, Parameter

import pacl
from pacl.cli.options import STANDARD_INPUT
from pacl.cli.stopping import heed_signals
from pacl.errors import PaclError

COMMANDS = {
    "reproduce": "Run the paper's whole study and report what holds.",
    "detect": "Find AF in recordings or a stream, without any training.",
    "inspect": "Count what recordings hold, and draw one.",
    "prepare": "Cut recordings into windows that leak no patient.",
    "audit": "Find leaks in a window set, or in a split that exists.",
    "train": "Train an encoder on the training patients of a window set.",
    "tune": "Search for better settings, on the validation patients alone.",
    "evaluate": "Judge a run on its test patients, or on anybody else.",
    "evaluate-rhythm": "Judge the AF detector on annotated recordings.",
    "rivals": "Compare every system the paper names under one protocol.",
    "weights": "Make weights that need no labels of whoever they are used on.",
    "export": "Write a run or weights as a file for ONNX Runtime, or as C.",
    "embed": "Write the embeddings of windows.",
    "compare": "Put runs side by side.",
    "import-checkpoint": "Make a run of the weights the paper's authors released.",
    "simulate": "Write a cohort of made-up patients.",
    "download": "Fetch IRIDIA-AF, LTAFDB or AFDB.",
}


def build(asked: str | None) -> App:
    """The command line; commands are named by path, so that only the one asked for is imported.

    The others are listed by a summary, the one asked for explains itself by its docstring.
    """
    app = App(
        name="pacl",
        help="Subject-aware representation learning on physiological signals.",
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

    Anything the person can put right, in the command or in the data, is told on standard error
    and ends with status 2; status 1 is left to commands that look for faults and found some.
    """
    with heed_signals():
        _run()


def _run() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        # A lone hyphen is no flag to anybody but the parser.
        words = [STANDARD_INPUT if word == "-" else word for word in sys.argv[1:]]
        build(words[0] if words else None)(words, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        _tell(error)
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = None
        sys.exit(141)
    except (PaclError, OSError) as error:
        print(f"pacl: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("pacl: interrupted", file=sys.stderr)
        sys.exit(130)


def _tell(error: CycloptsError) -> None:
    """What is wrong with the flags; settings that were refused in the words of whoever did."""
    problems = getattr(error.__cause__, "errors", None)
    if problems is None:
        from cyclopts import CycloptsPanel

        assert error.console is not None  # noqa: S101 - for the type checker
        error.console.print(CycloptsPanel(error))
        return
    for problem in problems(include_url=False):
        flag = ".".join(str(part).replace("_", "-") for part in problem["loc"])
        said = problem["msg"].removeprefix("Value error, ")
        if said == problem["msg"]:
            said += f", not {problem['input']!r}"
        print(f"pacl: --{flag}: {said}" if flag else f"pacl: {said}", file=sys.stderr)

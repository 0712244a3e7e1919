"""All commands: how each is listed, and the examples at the end of its help."""

import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple

LOOK = "Look at recordings"
DETECT = "Detect AF"
LEARN = "Learn from windows"
STUDY = "Run a study"
SHARE = "Get data, share results"

HEADING = re.compile(r"^Examples\n-+\n", re.MULTILINE)


class Listed(NamedTuple):
    """A command as `pacl --help` lists it."""

    group: str
    summary: str


COMMANDS = {
    "inspect": Listed(LOOK, "Count what recordings hold, and draw one."),
    "view": Listed(LOOK, "Look at all beats in the browser, and mark what is AF."),
    "features": Listed(LOOK, "Compute features of heart rate variability."),
    "detect": Listed(DETECT, "Find AF in recordings or in a stream; trains nothing."),
    "listen": Listed(DETECT, "Find AF live, from a heart rate strap."),
    "adapt": Listed(DETECT, "Learn the sinus rhythm of one person, for detect."),
    "evaluate-rhythm": Listed(DETECT, "Test the AF detector on annotated recordings."),
    "prepare": Listed(LEARN, "Cut recordings into windows, and divide the patients."),
    "audit": Listed(LEARN, "Find leaks in a window set, or in a split."),
    "train": Listed(LEARN, "Train an encoder on a window set."),
    "evaluate": Listed(LEARN, "Test a trained run, also on other patients."),
    "compare": Listed(LEARN, "Put the results of runs side by side."),
    "tune": Listed(LEARN, "Search for better settings of training."),
    "embed": Listed(LEARN, "Write the embeddings of windows."),
    "reproduce": Listed(STUDY, "Run the paper's study, and report which claims hold."),
    "rivals": Listed(STUDY, "Compare all systems that the paper names."),
    "systems": Listed(STUDY, "Compare systems on windows of any signal."),
    "weights": Listed(STUDY, "Make a new AF detector from annotated recordings."),
    "simulate": Listed(SHARE, "Write recordings of simulated patients."),
    "download": Listed(SHARE, "Fetch a public data set of recordings."),
    "import-checkpoint": Listed(SHARE, "Make a run of the paper's released weights."),
    "export": Listed(SHARE, "Write a run or a detector for ONNX Runtime, or as C."),
}
"""In the order of the help: that in which one uses them."""

GROUPS = tuple(dict.fromkeys(one.group for one in COMMANDS.values()))

OPTIONS = "Options"
FLAGS = {
    "--install-completion": Listed(OPTIONS, "Complete commands, options and paths with Tab."),
}
"""What `pacl` does beside its commands, as a module alike."""


def module_of(command: str) -> str:
    """The module of a command, which is also the name of its function.

    Examples
    --------
    >>> module_of("evaluate-rhythm")
    'evaluate_rhythm'
    """
    return command.lstrip("-").replace("-", "_")


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

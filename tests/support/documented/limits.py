"""Which lines of the pages are not run, and why; which are run with smaller settings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from support.documented.shell import Command


@dataclass(frozen=True)
class NotRun:
    """Lines that are parsed alone."""

    matching: str
    """A regular expression for the words after `pacl`."""
    why: str


NOT_RUN = (
    NotRun(r"download ", "fetches gigabytes"),
    NotRun(r"view ", "serves a page until it is stopped"),
    NotRun(r"listen (?!.*(--follow|--replay|-\s|-$))", "needs a strap"),
    NotRun(r".*(--scheduler |--storage )", "needs a cluster or a database"),
    NotRun(r".*[a-z0-9]+://", "needs a server"),
    NotRun(r"(reproduce|rivals|weights) ", "trains for minutes or hours"),
    NotRun(r".*--weights made/", "needs weights that take hours"),
    NotRun(r"import-checkpoint ", "needs the weights that the authors released"),
)
"""The first that fits a line is its reason."""

TINY = (
    *("--train.epochs=1", "--sampler.subjects=2", "--sampler.windows=4"),
    *("--device=cpu", "--threads=1", "--quiet"),
)
SMALLER = {
    "train": TINY,
    "tune": (*TINY, "--trials=1", "--repeats=1"),
    "systems": (
        *("--systems=lda", "--seeds=1", "--folds=2"),
        *("--encoder.width=8", "--encoder.blocks=1", "--train.keep=last", *TINY),
    ),
    "evaluate": ("--device=cpu", "--threads=1"),
    "embed": ("--device=cpu", "--threads=1"),
    "prepare --protocol": ("--window.window-beats=40", "--window.stride=500"),
    "prepare iridia-af": ("--window.window-beats=40", "--window.stride=500"),
    "simulate": ("--patients=4",),
    "detect cohort": ("--workers=1",),
    "features cohort": ("--workers=1",),
    "evaluate-rhythm cohort": ("--workers=1",),
    "listen --follow": ("--until-idle=0.2",),
    "listen --replay": ("--speed=0",),
}
"""Options in the place of the documented ones, or beside them, by the first words of a line."""

OTHER_PROGRAMS = {
    *("cc", "cd", "createdb", "dask", "git", "open", "other-program", "sbatch", "source", "tail"),
    *("./af", ".venv/bin/pacl", ".venv/bin/pre-commit"),
}
"""Programs that are not ours; pip, make, python and pytest are looked into."""


def why_not_run(command: Command) -> str | None:
    """Why a line is parsed alone; None if it is run."""
    words = " ".join(command.words[1:])
    return next((one.why for one in NOT_RUN if re.match(one.matching, words)), None)


def made_smaller(words: Sequence[str]) -> list[str]:
    """The words of a command with smaller settings."""
    smaller: tuple[str, ...] = ()
    for start, options in SMALLER.items():
        command, *given = start.split()
        if words[0] == command and set(given) <= set(words):
            smaller = options
    names = {option.partition("=")[0] for option in smaller}
    kept: list[str] = []
    at = 0
    while at < len(words):
        replaced = words[at].partition("=")[0] in names
        if not replaced:
            kept.append(words[at])
        at += 2 if replaced and words[at] in names else 1
    return [*kept, *smaller]

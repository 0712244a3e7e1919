"""Options that several commands share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter, Token
from cyclopts.validators import Number

from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.detect import Detector, DetectorSettings

STANDARD_INPUT = "(standard input)"
"""What a lone hyphen on the command line becomes."""

READING = Group("How recordings are read", sort_key=100)
"""The panel of `ReadOptions` in the help, after all others."""

OF_ALL = {
    "--every.others": "--all-beats.others",
    "--prepare.every.others": "--prepare.all-beats.others",
    "--protocol=every": "--protocol=all-beats",
    "--prepare.protocol=every": "--prepare.protocol=all-beats",
}
"""Flags, or values of flags, by the names they had in version 0.1, for all commands."""

CUT = {"--window-beats": "--window.window-beats", "--stride": "--window.stride"}
"""As `pacl features` calls them."""

RENAMED = {
    "audit": {"--json": "--format=json"},
    "compare": {"--format=table": "--format=text"},
    "evaluate": {"--format=table": "--format=text"},
    "prepare": CUT,
    "reproduce": {"--loss": "--losses", "--threads": "--workers"},
    "rivals": {"--only": "--systems", "--threads": "--workers"},
    "systems": {"--threads": "--workers"},
    "tune": {**CUT, "--losses": "--loss", "--seeds": "--repeats"},
    "weights": {"--threads": "--workers"},
}
"""The same for one command: earlier names, and names that another command has for the same."""


def _input(_: object, tokens: Sequence[Token]) -> Path:
    return _named(tokens, "name a file or folder, or . for the current folder")


def _output(_: object, tokens: Sequence[Token]) -> Path:
    return _named(tokens, "name the file or folder to write")


def _named(tokens: Sequence[Token], remedy: str) -> Path:
    (token,) = tokens
    if not token.value:
        flag = f"{token.keyword}: " if token.keyword else ""
        raise PaclError(f"{flag}an empty path; {remedy}")
    return Path(token.value)


InputPath = Annotated[Path, Parameter(converter=_input)]
"""A path that is not empty: Python would take an empty one for the current folder."""

OutputPath = Annotated[Path, Parameter(converter=_output)]
"""Where to write; not empty either."""

Output = Annotated[OutputPath, Parameter(name=["--output", "-o"])]
"""The file or folder to write, where a command cannot do without."""

Quiet = Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", help="Show no progress.")]

IN_A_ROW = {
    *("--seeds", "--few", "--few-seeds"),
    *("--encoder.kernels", "--encoder.channels", "--encoder.blocks"),
}
"""Options with one or more whole numbers, which may follow one after the other."""

Threads = Annotated[
    int | None,
    Parameter(
        name="--threads",
        validator=Number(gte=1, lte=4096),
        help="Number of CPU cores that this process uses. [default: all]",
    ),
]

Workers = Annotated[
    int | None,
    Parameter(
        name="--workers",
        validator=Number(gte=1, lte=4096),
        help="Number of processes on this machine, with one core each: as many models are trained "
        "at the same time, unless on a GPU. [default: one for each core]",
    ),
]

Scheduler = Annotated[
    str | None,
    Parameter(
        name="--scheduler",
        help="Address of a Dask scheduler, such as tcp://node01:8786, or the file that it wrote; "
        "its workers do the work. They need the same pacl, and the same files under the same "
        "paths.",
    ),
]

Device = Annotated[
    str,
    Parameter(
        name="--device",
        help="Where to compute: cpu, cuda, or auto, which is a GPU if there is one.",
    ),
]


def shown_default(value: object) -> str | None:
    """A default as the help shows it; nothing where it is off, or empty.

    Examples
    --------
    >>> shown_default((1, 42, 102)), shown_default(("supcon",)), shown_default(0.5)
    ('1 42 102', 'supcon', '0.5')
    >>> shown_default(False), shown_default(())
    (None, None)
    """
    if value is None or value is False or value == ():
        return None
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def usable_threads(threads: int | None) -> int:
    """What was asked for, or the number of cores this process may use."""
    import os

    if threads is None and hasattr(os, "sched_getaffinity"):  # not on macOS, not on Windows
        return len(os.sched_getaffinity(0))
    return threads or os.cpu_count() or 1


def use_threads(threads: int | None) -> None:
    """Let torch use as many cores as were asked for, and this process the memory it has."""
    import torch

    from pacl.training import keep_freed_memory

    torch.set_num_threads(usable_threads(threads))
    keep_freed_memory()


def as_named_now(words: Sequence[str]) -> list[str]:
    """A command line under the names of today; the earlier ones still work.

    Examples
    --------
    >>> as_named_now(["prepare", "--protocol", "every", "--every.others=left-out"])
    ['prepare', '--protocol', 'all-beats', '--all-beats.others=left-out']
    >>> as_named_now(["rivals", "--only", "statistics"])
    ['rivals', '--systems', 'statistics']
    """
    found: list[str] = []
    renamed = OF_ALL | RENAMED.get(words[0] if words else "", {})
    for word in words:
        flag, equals, value = word.partition("=")
        pair = f"{found[-1]}={word}" if found else ""
        if pair in renamed:
            found.append(renamed[pair].partition("=")[2])
        else:
            found.append(renamed.get(word) or renamed.get(flag, flag) + equals + value)
    return found


def with_a_flag_each(words: Sequence[str]) -> list[str]:
    """A command line in which numbers in a row have a flag each.

    Not left to the parser: a row of its own would also take the path that follows. A number that is
    the name of a file or folder ends the row.

    Examples
    --------
    >>> with_a_flag_each(["rivals", "--seeds", "1", "2", "ltafdb"])
    ['rivals', '--seeds', '1', '--seeds', '2', 'ltafdb']
    """
    found: list[str] = []
    row = ""
    for word in words:
        first = found[-1:] == [row]
        if not (row and word.isdecimal() and (first or not Path(word).exists())):
            row = word if word in IN_A_ROW else ""
        elif not first:
            found.append(row)
        found.append(word)
    return found


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """The detector and its operating point."""

    weights: str = "af-beats"
    """Name of bundled weights, or a folder that pacl weights wrote."""
    operating_point: Literal["sensitive", "balanced", "specific"] = "balanced"
    """sensitive finds more short AF, with more false alarms; specific has fewer false alarms, and
    misses more short AF."""
    min_duration: float = 30.0
    """Shortest episode, in seconds, for the verdict AF. Shorter ones are still listed."""

    def settings(
        self, person: Path | None = None, *, use_person: bool = True
    ) -> "DetectorSettings":
        """The detector as it is sent to other processes."""
        from pacl.detect import DetectorSettings

        return DetectorSettings(
            self.weights, self.operating_point, self.min_duration, person, use_person
        )

    def detector(self, person: Path | None = None, *, use_person: bool = True) -> "Detector":
        """Load the detector, with a person's profile if there is one."""
        return self.settings(person, use_person=use_person).open()

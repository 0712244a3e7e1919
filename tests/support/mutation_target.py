"""One kind of input that is damaged and opened many thousands of times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """A reader and sound files for it.

    Parameters
    ----------
    name
        `group/what`, such as `records/text`.
    write
        Puts sound files into an empty folder and returns those that are to be damaged.
    open
        Opens the folder and reads all of it; a `PaclError` is a right answer to damage.
    """

    name: str
    write: Callable[[Path], Sequence[Path]]
    open: Callable[[Path], object]

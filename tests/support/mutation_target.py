"""One kind of input that is damaged and opened many thousands of times."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.mutate import damaged


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
    damage
        What is done to the content of a file: bytes, or the values of a document.
    """

    name: str
    write: Callable[[Path], Sequence[Path]]
    open: Callable[[Path], object]
    damage: Callable[[bytes, int, int], Iterator[bytes]] = damaged

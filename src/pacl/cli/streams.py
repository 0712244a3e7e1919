"""Standard input, output and error, each of which may be closed when the command begins."""

import io
import os
import sys
from typing import NoReturn

from pacl.errors import PaclError

CLOSED = {"stdin": "standard input is closed", "stdout": "standard output is closed"}
REMEDY = "leave it open, or connect it to a file, a pipe or /dev/null"


def open_streams() -> None:
    """Put something in the place of a closed stream, and let no name make the others fail.

    A closed input or output is an error when it is used, and not before. Errors that cannot
    be shown are lost; the status remains.
    """
    for number in range(3):
        _occupy(number)
    for name, what in CLOSED.items():
        if getattr(sys, name) is None:
            setattr(sys, name, _Closed(what))
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush_output() -> None:
    """Write what is still to be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PaclError(f"standard output: cannot be written ({error.strerror})") from error


def drop_output() -> None:
    """Forget what cannot be written: Python would try once more at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = None


class _Closed(io.TextIOBase):
    """A stream that raises an error when it is used."""

    def __init__(self, what: str) -> None:
        self._what = what

    def _refuse(self, *_: object) -> NoReturn:
        raise PaclError(f"{self._what}; {REMEDY}")

    read = readline = write = _refuse
    buffer = property(_refuse)


def _occupy(number: int) -> None:
    """Take the number of a closed stream, so that no file gets it.

    A library that writes to standard error would write into that file.
    """
    try:
        os.fstat(number)
    except OSError:
        taken = os.open(os.devnull, os.O_RDWR)
        if taken != number:
            os.dup2(taken, number)
            os.close(taken)

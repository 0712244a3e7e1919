"""Errors of window sets."""

from pathlib import Path

from pacl.errors import PaclError


class WindowSetError(PaclError):
    """A window set that is incomplete, not readable, or of another version."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")


class LeakError(PaclError):
    """A window set that would leak a subject, refused because it was not allowed by name."""


def prepare_again(path: Path, what: str) -> WindowSetError:
    """The error of a file of a window set that cannot be used."""
    return WindowSetError(path, what, "prepare the window set again")

"""Where `pacl detect` writes to, and in which format."""

from pathlib import Path
from typing import Literal

from pacl.atomic_write import TargetError
from pacl.errors import PaclError

Format = Literal["text", "json", "csv", "html"]

ENDINGS: dict[str, Format] = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
}


def chosen_format(asked: Format | None, output: Path | None) -> Format:
    """The format that was asked for, else that of the ending, else text.

    A format that contradicts the ending is an error: the file would not be what its name says.
    """
    ending = ENDINGS.get(output.suffix.lower()) if output is not None else None
    if asked is not None and ending is not None and asked != ending:
        raise PaclError(
            f"--output {output}: its ending says {ending}, but --format says {asked}; "
            "leave out --format or change the ending"
        )
    return asked or ending or "text"


def check_target(output: Path | None, form: Format, several: bool) -> None:
    """Refuse a place that cannot hold the answer, before anything is judged."""
    if output is None:
        if form == "html":
            raise PaclError("say where to write the page with --output")
    elif form == "html" and several:
        if output.suffix.lower() in ENDINGS:
            raise PaclError(
                f"--output {output}: several recordings become a folder of pages; "
                "name a folder, without an ending"
            )
        if output.exists() and not output.is_dir():
            raise TargetError(f"{output}: expected a folder for the pages; it is a file")
    elif output.is_dir():
        raise TargetError(f"{output}: cannot be written, it is a folder; name a file")

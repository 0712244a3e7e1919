"""An output that would overwrite what a command reads."""

from collections.abc import Iterable
from pathlib import Path

from pacl.atomic_write import check_not_input


def check_output(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over an input: a file, any file of a folder, or any file of a record.

    For outputs that end as no input does, such as pictures: files of that ending beside the inputs
    were written by the same command before, and may be written again.
    """
    for given in inputs:
        check_not_input(output, [given] if given.is_file() else [])
        near = given.rglob("*") if given.is_dir() else _of_record(given)
        check_not_input(output, (path for path in near if path.suffix != output.suffix))


def _of_record(given: Path) -> Iterable[Path]:
    """The files of a WFDB record that is named by one of them, or by none."""
    names = (given.name, given.stem)
    if not given.parent.is_dir():
        return []
    return (path for path in given.parent.iterdir() if path.name.startswith(names))

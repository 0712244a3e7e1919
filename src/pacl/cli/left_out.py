"""Files beside the recordings that are not read, told to the person."""

from pacl.cli.printable import print_error
from pacl.records import Reader


def print_left_out(reader: Reader) -> None:
    """Name them on standard error, one line for each reason."""
    for line in reader.left_out:
        print_error(f"left out: {line}")

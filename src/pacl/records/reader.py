"""What every reader offers, and how the right one is found for a path."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from pacl.records.errors import LayoutError
from pacl.records.record import Record


@runtime_checkable
class Reader(Protocol):
    """Recordings below one path, read one at a time.

    Opening a reader lists what is there and checks that the layout holds; it reads no beats.
    `read` raises a `RecordError` and nothing else, so that a caller can go on with the next.
    """

    @property
    def root(self) -> Path:
        """Where the recordings lie."""

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Every recording, sorted, each once."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """What lies beside the recordings and is not read, one line for each reason."""

    def read(self, record_id: str) -> Record:
        """Read one recording whole."""


def check_known(record_id: str, reader: Reader) -> None:
    """Refuse a recording that the reader has not listed."""
    if record_id not in reader.record_ids:
        first = ", ".join(reader.record_ids[:5])
        more = ", ..." if len(reader.record_ids) > 5 else ""
        raise LayoutError(reader.root, f"no record {record_id!r}", f"choose one of {first}{more}")

"""What is made of each recording: rows of tables."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pacl.records import Reader, Record

if TYPE_CHECKING:
    import pyarrow as pa

Rows = Mapping[str, "pa.Table"]
"""Rows of one recording, by the name of their table."""


@runtime_checkable
class OpenKind(Protocol):
    """What a process keeps to make rows, such as a loaded detector."""

    def rows(self, reader: Reader, record: Record) -> Rows:
        """Rows of one recording, for each table."""


@runtime_checkable
class TableKind(Hashable, Protocol):
    """A kind of tables of a cohort, such as those of `pacl detect`.

    It is a frozen dataclass of plain values, so that it can be sent to other processes.
    """

    @property
    def command(self) -> str:
        """The command that makes such tables."""

    def schemas(self) -> "Mapping[str, pa.Schema]":
        """Columns of each table. The first table has one row per recording.

        Its first columns are those of `common`; they are all that is known of a recording that
        failed.
        """

    def settings(self) -> Mapping[str, Any]:
        """All that the rows depend on, besides the recordings."""

    def open(self) -> OpenKind:
        """Load what is needed to make rows."""


def common() -> "list[tuple[str, pa.DataType]]":
    """First columns of the table of recordings: what a failed one has, too."""
    import pyarrow as pa

    return [
        ("record", pa.string()),
        ("patient", pa.string()),
        ("file", pa.string()),
        ("digest", pa.string()),
        ("error", pa.string()),
    ]


def common_of(record: Record) -> dict[str, Any]:
    """Their values for a recording that was read."""
    return {
        "record": record.record_id,
        "patient": record.patient_id,
        "file": record.source,
        "digest": record.digest,
        "error": None,
    }

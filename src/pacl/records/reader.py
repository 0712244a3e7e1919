"""The protocol of all readers, and the patients of records."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from pacl.records.content import read_bytes
from pacl.records.errors import LayoutError
from pacl.records.record import Record
from pacl.records.table import MAX_TABLE_BYTES, read_table


@runtime_checkable
class Reader(Protocol):
    """Recordings below one path, read one at a time.

    Opening a reader lists the recordings and checks their layout; it reads no beats. `read` raises
    only `RecordError`, so that a caller can continue with the next.
    """

    @property
    def root(self) -> Path:
        """The folder of the recordings."""

    @property
    def record_ids(self) -> tuple[str, ...]:
        """All recordings, sorted, each once."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files beside the recordings that are not read, one line for each reason."""

    def read(self, record_id: str) -> Record:
        """Read one recording."""


def check_known(record_id: str, reader: Reader) -> None:
    """Refuse a recording that the reader has not listed."""
    if record_id not in reader.record_ids:
        first = ", ".join(reader.record_ids[:5])
        more = ", ..." if len(reader.record_ids) > 5 else ""
        raise LayoutError(reader.root, f"no record {record_id!r}", f"choose one of {first}{more}")


def read_patients(path: Path | str) -> dict[str, str]:
    """Read a CSV with the columns `record_id` and `patient_id`."""
    path = Path(path)
    found: dict[str, str] = {}
    content = read_bytes(path, MAX_TABLE_BYTES)
    for row in read_table(content, path, ("record_id", "patient_id"), "patient map"):
        record_id, patient_id = row["record_id"], row["patient_id"]
        if not record_id or not patient_id or found.get(record_id, patient_id) != patient_id:
            raise LayoutError(
                path,
                f"line {row.line}: record {record_id!r} of patient {patient_id!r}",
                "give each record exactly one patient",
            )
        found[record_id] = patient_id
    return found


def patient_of(record_id: str, patients: Mapping[str, str] | None, where: str) -> str:
    """The patient of a record: itself without a map; a map must have it."""
    if patients is None:
        return record_id
    if record_id not in patients:
        raise LayoutError(
            where,
            f"record {record_id!r} is missing from the patient map of {len(patients)} records",
            "add it, or give no map: then each record is a patient",
        )
    return patients[record_id]

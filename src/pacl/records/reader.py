"""The protocol of all readers, and the patients of records."""

from collections.abc import Collection, Container, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from pacl.records.address import shown_path
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
        """The folder of the recordings; an address without passwords, where that is elsewhere."""

    @property
    def record_ids(self) -> tuple[str, ...]:
        """All recordings, sorted, each once."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files beside the recordings that are not read, one line for each reason."""

    def read(self, record_id: str) -> Record:
        """Read one recording."""


@runtime_checkable
class NarrowReader(Reader, Protocol):
    """A reader that can be sent to another process for some of its recordings."""

    def narrowed(self, record_ids: Collection[str]) -> Reader:
        """The same reader of these recordings alone; nothing is looked up again."""


def check_known(record_id: str, known: Container[str], reader: Reader) -> None:
    """Refuse a recording that the reader has not listed.

    `known` is where the reader looks recordings up: a cohort may have a hundred thousand.
    """
    if record_id not in known:
        first = ", ".join(reader.record_ids[:5])
        more = ", ..." if len(reader.record_ids) > 5 else ""
        where = shown_path(reader.root)
        raise LayoutError(where, f"no record {record_id!r}", f"choose one of {first}{more}")


def narrowed(reader: Reader, record_ids: Collection[str]) -> Reader:
    """The reader of some recordings alone, where it can be narrowed; else the reader itself."""
    return reader.narrowed(record_ids) if isinstance(reader, NarrowReader) else reader


def narrowed_map(
    patients: Mapping[str, str] | None, record_ids: Collection[str]
) -> dict[str, str] | None:
    """The patients of some recordings, where there is a map; a recording may be missing from it."""
    if patients is None:
        return None
    return {one: patients[one] for one in record_ids if one in patients}


def narrowed_each(readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """Each reader narrowed to the recordings that it has here."""
    of: dict[int, list[str]] = {}
    for record_id, reader in readers.items():
        of.setdefault(id(reader), []).append(record_id)
    return {
        record_id: found
        for ids in of.values()
        for found in [narrowed(readers[ids[0]], ids)]
        for record_id in ids
    }


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
            f"record {record_id!r} is missing from the patient map",
            "add it, or give no map: then each record is a patient",
        )
    return patients[record_id]

"""Which patient a record belongs to, where the source itself does not say."""

from collections.abc import Mapping
from pathlib import Path

from pacl.records.content import read_bytes
from pacl.records.errors import LayoutError
from pacl.records.table import MAX_TABLE_BYTES, read_table


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
    """The patient of a record: itself where no map is given, an error where the map is silent."""
    if patients is None:
        return record_id
    if record_id not in patients:
        raise LayoutError(
            where,
            f"record {record_id!r} is missing from the patient map of {len(patients)} records",
            "add it, or give no map to take each record for a patient",
        )
    return patients[record_id]

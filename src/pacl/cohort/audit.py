"""Whether an existing split keeps patients apart."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from pacl.records import read_patients
from pacl.windows import Finding, Split, SplitError, read_split

Kind = Literal[
    "patient-in-two-parts",
    "unsafe-split",
    "patients-unknown",
    "record-of-two-patients",
    "shared-beats",
    "misplaced-window",
    "scale-beats-in-window",
    "uneven-scale",
    "duplicate-window",
    "mixed-rhythm",
    "near-onset",
    "changed-file",
    "bad-value",
    "class-missing",
    "patient-without-class",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


def audit_split(split: Path | str, metadata: Path | str) -> tuple[Finding, ...]:
    """Compare a split file with metadata: a CSV with the columns `record_id` and `patient_id`."""
    patients = read_patients(metadata)
    found = read_split(split)
    known = set(patients) if found.unit == "record" else set(patients.values())
    if unknown := sorted(set(found.part_of) - known):
        raise SplitError(
            split,
            f"{len(unknown)} {found.unit}(s) not in {Path(metadata).name}: "
            f"{', '.join(unknown[:5])}",
            "give the metadata of the same cohort",
        )
    return patients_in_two_parts(found, patients)


def patients_in_two_parts(split: Split, patients: Mapping[str, str]) -> tuple[Finding, ...]:
    """Patients whose records a split spreads over several parts."""
    if split.unit == "subject":
        return ()
    places: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for record_id, part in split.part_of.items():
        places[patients[record_id]][part].append(record_id)
    return tuple(
        two_parts(patient, places[patient])
        for patient in sorted(places)
        if len(places[patient]) > 1
    )


def two_parts(patient: str, places: Mapping[str, list[str]]) -> Finding:
    """The finding for one patient and the records that each part holds of it."""
    where = ", ".join(f"{part} ({', '.join(sorted(who))})" for part, who in sorted(places.items()))
    return Finding("patient-in-two-parts", "leak", patient, f"{patient} is in {where}")

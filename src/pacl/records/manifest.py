r"""`cohort.toml`: facts about recordings that their files lack.

```toml
recordings = "../nights"         # only where the manifest is not in the folder itself
name = "Ward 3"                  # what to call the cohort
source = "Nights of ward 3, 2026, University Hospital"
licence = "CC BY 4.0"
unmarked = "SR"                  # records without any rhythm mark are SR (or AF, or OTHER)
patient = '(p\d+)_night\d+'      # the part of the record's name in brackets is the patient
[patients]
p07_night1 = "p06"               # this record is of that patient, despite the pattern
```
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pacl.records.content import listing
from pacl.records.errors import ManifestError
from pacl.records.iridia_files import RECORD_FOLDER
from pacl.records.manifest_keys import RHYTHMS, problems_of
from pacl.records.rhythm import Rhythm
from pacl.records.tree import MANIFEST
from pacl.stored import read_toml

_NAMED = 3


@dataclass(frozen=True, slots=True)
class CohortManifest:
    """The content of a `cohort.toml`.

    Parameters
    ----------
    path, recordings
        The manifest itself, and the folder of the recordings.
    name, source, licence
        Of the cohort; empty where the manifest does not state it.
    unmarked
        Rhythm of all beats of a record that has no rhythm mark at all. A record with any mark
        stays as it is.
    patient
        Pattern that matches the full name of each record; its one group is the patient.
    patients
        Patient of single records. They override the pattern.
    """

    path: Path
    recordings: Path
    name: str = ""
    source: str = ""
    licence: str = ""
    unmarked: Rhythm | None = None
    patient: str = ""
    patients: Mapping[str, str] = field(default_factory=dict)

    def is_all(self, path: Path) -> bool:
        """Whether a path means the cohort, not one recording of it."""
        return path in (self.path, self.path.parent)

    def patients_of(self, record_ids: Iterable[str], *, all_there: bool) -> dict[str, str]:
        """Patient of each record that the manifest names or matches.

        With `all_there`, these are all records of the cohort: those it names must be among them.
        """
        ids = tuple(record_ids)
        found = {record: self.patients[record] for record in ids if record in self.patients}
        missing = sorted(self.patients.keys() - found.keys()) if all_there else []
        problems = [f"patients: no record {_some(missing)}; correct the name"] if missing else []
        if self.patient:
            matches = {one: re.fullmatch(self.patient, one) for one in ids if one not in found}
            found |= {one: match[1] for one, match in matches.items() if match and match[1]}
            if unmatched := sorted(matches.keys() - found.keys()):
                problems.append(
                    f"patient = {self.patient!r} finds no patient in {_some(unmatched)}; it must "
                    "match the full name, folders included: correct it, or name the patient under "
                    "[patients]"
                )
        if problems:
            raise ManifestError(self.path, problems)
        return found

    def as_read(self) -> dict[str, Any]:
        """What changes how recordings are read, in plain values."""
        stated: dict[str, Any] = {"patient": self.patient, "patients": dict(self.patients)}
        if self.unmarked is not None:
            stated["unmarked"] = self.unmarked.name
        return {key: value for key, value in stated.items() if value}

    def to_dict(self) -> dict[str, Any]:
        """Its content, in plain values."""
        stated = {"name": self.name, "source": self.source, "licence": self.licence}
        return {key: value for key, value in stated.items() if value} | {"read_as": self.as_read()}


def cohort_manifest(path: Path | str) -> CohortManifest | None:
    """The manifest that holds for recordings: `path` itself, or the one in the folder.

    For a single recording it is the manifest in its folder, unless the recordings of that
    manifest are in another folder.
    """
    path = Path(path)
    with listing(path):
        if is_manifest(path):
            return read_manifest(path)
        if path.is_dir() and _is_there(path / MANIFEST):
            return read_manifest(path / MANIFEST)
        folder = path.parent
        if path.is_dir():
            if not RECORD_FOLDER.fullmatch(path.resolve().name):
                return None
            folder = path.resolve().parent
        found = read_manifest(folder / MANIFEST) if _is_there(folder / MANIFEST) else None
        return found if found and found.recordings.samefile(folder) else None


def _is_there(manifest: Path) -> bool:
    return os.path.lexists(manifest) and not manifest.is_dir()


def is_manifest(path: Path) -> bool:
    """Whether a path is a file that can only be a manifest."""
    return path.suffix.lower() == ".toml" and path.is_file()


def read_manifest(path: Path | str) -> CohortManifest:
    """Read a manifest; all problems are in one error."""
    path = Path(path)
    found = read_toml(path, lambda at, what: ManifestError(at, [f"{what}; correct the file"]))
    with listing(path):
        problems = list(problems_of(found, path))
    if problems:
        raise ManifestError(path, problems)
    return CohortManifest(
        path,
        recordings=path.parent / found.pop("recordings", ""),
        unmarked=RHYTHMS.get(found.pop("unmarked", "")),
        **found,
    )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more

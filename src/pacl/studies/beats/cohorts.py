"""Cohorts for training and evaluation: their recordings, and their role in the choice.

| role | cohorts | use |
|---|---|---|
| decides | ten patients or more, with AF and with other rhythms | its log loss counts |
| constrains | no patient has AF | its false AF must stay below a limit |
| reported | all others | nothing is chosen by it |

Each is left out once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from pacl.af.beats import LabelledRecord, label_beats
from pacl.records import Reader, digest, manifest_of, open_records
from pacl.studies.errors import RunError

Role = Literal["decides", "constrains", "reported"]

LEAST_SUBJECTS = 10
MOST: dict[Role, float] = {"decides": 1.0, "constrains": 0.15, "reported": 0.03}
"""The largest weight of a cohort, as a share of the sum of all weights before any is limited, so
that neither sinus rhythm nor a few patients dominate the training."""


@dataclass(frozen=True, eq=False, slots=True)
class BeatCohort:
    """A cohort's recordings, with a label for each beat."""

    name: str
    records: tuple[LabelledRecord, ...]
    source: str = ""
    licence: str = ""

    @classmethod
    def read(
        cls, name: str, reader: Reader, *, source: str = "", licence: str = ""
    ) -> "BeatCohort":
        """All recordings of a reader."""
        found = []
        for record_id in reader.record_ids:
            record = reader.read(record_id)
            found.append(LabelledRecord(name, record, label_beats(record)))
        if not any((one.label < 2).any() for one in found):
            raise RunError(
                reader.root,
                "no beat has a known rhythm",
                'give recordings with rhythm marks, or declare unmarked = "SR" in a cohort.toml',
            )
        return cls(name, tuple(found), source, licence)

    @property
    def patients(self) -> int:
        """Number of patients."""
        return len({one.record.patient_id for one in self.records})

    @property
    def role(self) -> Role:
        """The role of the cohort in the choice."""
        has_af, has_other = (
            any((one.label == kind).any() for one in self.records) for kind in (1, 0)
        )
        if not has_af:
            return "constrains"
        return "decides" if has_other and self.patients >= LEAST_SUBJECTS else "reported"

    @property
    def digest(self) -> str:
        """SHA-256 of patients, intervals and labels, for the identity of a study."""
        return digest(
            (f"{one.record.patient_id}\0{one.record.record_id}\0{name}", content)
            for one in self.records
            for name, content in (
                ("rr_ms", one.record.rr_ms.tobytes()),
                ("label", one.label.tobytes()),
            )
        )


def read_cohorts(paths: Sequence[Path]) -> list[BeatCohort]:
    """Cohorts of several paths, each with its manifest."""
    found = []
    for path in paths:
        reader = open_records(path)
        manifest = manifest_of(reader)
        source, licence = ("", "") if manifest is None else (manifest.source, manifest.licence)
        found.append(BeatCohort.read(cohort_name(path), reader, source=source, licence=licence))
    return found


def cohort_name(path: Path) -> str:
    """The name in its manifest, else that of its folder."""
    manifest = manifest_of(open_records(path))
    return manifest.name if manifest is not None and manifest.name else path.resolve().stem


def draw_weights(cohorts: Iterable[BeatCohort]) -> dict[str, float]:
    """Sampling weight of each cohort: the square root of its number of patients, within `MOST`."""
    cohorts = list(cohorts)
    found = {one.name: float(np.sqrt(one.patients)) for one in cohorts}
    total = sum(found.values())
    bound = {one.name: MOST[one.role] * total for one in cohorts}
    return {name: min(weight, bound[name]) for name, weight in found.items()}

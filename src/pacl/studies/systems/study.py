"""A finished comparison of systems, read from its folder."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from pacl.axes import Array, Float64
from pacl.settings import ComparisonSettings, SettingsError
from pacl.stored import MisfitError, fitted, read_json, read_table
from pacl.studies.errors import RunError
from pacl.studies.study_folder import read_study
from pacl.studies.systems.tables import SUBJECTS, SUMMARY, SubjectRow, Summary, SystemSummary

PROPOSED, CLASSICAL = "subject-aware", "lda"
REFERENCES = (PROPOSED, CLASSICAL)
"""Systems that all others are compared with."""

MEASURES = {
    "balanced_accuracy": "balanced accuracy",
    "auroc": "macro AUROC",
    "macro_f1": "macro F1",
}
"""Scores of a subject, the first is the main one."""


@dataclass(frozen=True, eq=False, slots=True)
class SystemsStudy:
    """Scores of each subject, by system and seed, and how they came about."""

    folder: Path
    settings: ComparisonSettings
    summary: Summary
    rows: tuple[SubjectRow, ...]

    @classmethod
    def read(cls, folder: Path) -> "SystemsStudy":
        """Read the folder of a finished study."""
        stated = read_study(folder, "systems")
        if stated is None or ("kind" in stated and stated["kind"] != "systems"):
            raise _run_again(folder, "no study of `pacl systems`")
        if not (folder / SUMMARY).exists():
            raise _run_again(folder / SUMMARY, "there is no such file, the study is not finished")
        found = read_json(folder / SUMMARY, dict[str, Any], _run_again)
        table = read_table(folder / SUBJECTS, {}, _run_again).to_pylist()
        try:
            summary: Summary = fitted(Summary, found["summary"])
            settings = ComparisonSettings.from_dict(found["settings"])
            known = {one.name for one in fields(SubjectRow)}
            rows = tuple(
                fitted(SubjectRow, {key: value for key, value in row.items() if key in known})
                for row in table
            )
        except (KeyError, MisfitError, SettingsError) as error:
            raise _run_again(folder / SUMMARY, f"it does not fit this version ({error})") from error
        study = cls(folder, settings, summary, rows)
        for system in study.systems:
            study.values(system.name, next(iter(MEASURES)))
        return study

    @property
    def systems(self) -> tuple[SystemSummary, ...]:
        """In the order of the tables."""
        return self.summary.systems

    def system(self, name: str) -> SystemSummary:
        """One of them."""
        return next(one for one in self.systems if one.name == name)

    @property
    def references(self) -> tuple[str, ...]:
        """Those of `REFERENCES` that were compared."""
        return tuple(name for name in REFERENCES if any(one.name == name for one in self.systems))

    @property
    def subjects(self) -> tuple[str, ...]:
        """All subjects, sorted by name."""
        return tuple(sorted({row.subject for row in self.rows}))

    def values(self, system: str, measure: str) -> Float64[Array, "seed subject"]:
        """Each subject's score with each seed; NaN where there is none.

        A system without random numbers has the same with all seeds.
        """
        own = {
            (row.seed, row.subject): getattr(row, measure)
            for row in self.rows
            if row.system == system
        }
        seeds = sorted({seed for seed, _ in own}, key=self.settings.seeds.index)
        if len(own) != len(seeds) * len(self.subjects):
            raise _run_again(self.folder / SUBJECTS, f"{system} lacks subjects")
        found = np.array(
            [[own[seed, who] for who in self.subjects] for seed in seeds], dtype=np.float64
        )
        if len(seeds) == 1:
            found = np.repeat(found, len(self.settings.seeds), axis=0)
        return found


def _run_again(path: Path, what: str) -> RunError:
    return RunError(path, what, "run `pacl systems` to its end")

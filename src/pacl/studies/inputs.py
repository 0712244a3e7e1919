"""What a study is given, as window sets: window sets, recordings, or simulated patients."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pacl.cohort import CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.records import (
    Reader,
    ReadOptions,
    cohort_manifest,
    is_iridia,
    manifest_of,
    open_records,
)
from pacl.records.simulate import write_cohort
from pacl.rr import Cut, Divide, RRWindowSet, prepare
from pacl.stored import MisfitError, build
from pacl.studies.errors import RunError
from pacl.studies.progress import SILENT, StudyReport
from pacl.window_sets import is_window_set as is_window_set
from pacl.windows import Split, split_units


def usual_protocol(reader: Reader) -> CohortProtocol:
    """The paper's rule for the paper's data; in other data few episodes meet it."""
    return EpisodesProtocol() if is_iridia(reader) else PooledProtocol()


def as_windows(
    source: Path,
    target: Path,
    *,
    divide: Divide,
    protocol: CohortProtocol | None = None,
    cut: Cut | None = None,
    read: ReadOptions | None = None,
    allow: Sequence[str] = (),
    threads: int = 1,
    report: StudyReport = SILENT,
) -> Path:
    """The window set of a source: the source itself, or windows cut from its recordings.

    A window set that is in `target` already is used again if it is of the same recordings.
    """
    if is_window_set(source):
        return source
    reader = open_records(source, read)
    if is_window_set(target):
        made = RRWindowSet.open(target).manifest
        stated = str(made.get("source", ""))
        if Path(stated).resolve() != Path(reader.root).resolve():
            raise RunError(
                target,
                f"its windows are of {stated}, not of {reader.root}",
                "give one of the folders another name, or study in another output folder",
            )
        declared = manifest_of(reader)
        if made.get("cohort", {}).get("read_as", {}) != (declared.as_read() if declared else {}):
            raise RunError(
                target,
                f"its windows were cut as another cohort.toml of {stated} said",
                "restore that manifest, or study in another output folder",
            )
        return target
    prepare(
        reader,
        target,
        protocol=protocol or usual_protocol(reader),
        divide=divide,
        cut=cut,
        allow=allow,
        threads=threads,
        track=lambda done, total: report.on_stage(f"preparing {source.name}", done, total),
    )
    return target


def cut_like(windows: Path) -> Cut:
    """How the windows of a set were cut, so that others can be cut alike."""
    found = RRWindowSet.open(windows)
    stated = found.manifest.get("cut", {"window_beats": found.window_beats})
    try:
        cut: Cut = build(Cut, stated)
    except MisfitError as error:
        raise RunError(windows, f"manifest.json: cut.{error}", "prepare it again") from error
    return cut


def cohort_name(path: Path) -> str:
    """What to call a cohort: as its manifest or else its folder, as far as a file may."""
    manifest = cohort_manifest(path)
    if manifest is not None:
        name = manifest.name or manifest.recordings.resolve().name
    else:
        name = path.resolve().name
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "cohort"


def other_name(path: Path, taken: Sequence[str]) -> str:
    """What to call another cohort; refuses a name that is taken."""
    name = cohort_name(path)
    if name in (*taken, "test", "validation"):
        raise RunError(path, f"the name {name!r} is taken", "give the folder another name")
    return name


def all_in(part: Literal["train", "test"]) -> Divide:
    """Divide patients so that all are in one part."""
    counts = (1, 0, 0) if part == "train" else (0, 0, 1)

    def divide(strata: Mapping[str, str], patients: Mapping[str, str]) -> Split:
        return split_units(strata, seed=0, counts=counts)

    return divide


@dataclass(frozen=True, slots=True)
class StudyData:
    """The cohorts that a study is given.

    Parameters
    ----------
    data
        Recordings or a window set to learn from; None for simulated patients.
    others
        Other cohorts.
    read
        How recordings are read.
    patients, seed
        Of the simulation.
    """

    data: Path | None
    others: tuple[Path, ...] = ()
    read: ReadOptions = field(default_factory=ReadOptions)
    patients: int = 60
    seed: int = 0

    @property
    def paths(self) -> tuple[Path, ...]:
        """All that was given."""
        return (*([self.data] if self.data else []), *self.others)

    @property
    def stated(self) -> str:
        """Where the data lies, for the identity of a study."""
        return str(self.data.resolve()) if self.data else "simulated patients"

    def read_as(self) -> dict[str, str]:
        """How recordings are read, as plain text."""
        stated = {key: str(value) for key, value in asdict(self.read).items()}
        if self.read.reader is None:  # earlier versions had no such option
            del stated["reader"]
        return stated

    def name(self, simulated: str) -> str:
        """What to call the cohort to learn from."""
        return cohort_name(self.data) if self.data else simulated

    def named_others(self, name: str) -> dict[str, Path]:
        """The other cohorts by name; refuses the one to learn from, and names that are taken."""
        found: dict[str, Path] = {}
        for path in self.others:
            if self.data is not None and path.resolve() == self.data.resolve():
                raise RunError(path, "it is the data to learn from", "give another cohort")
            found[other_name(path, (name, *found))] = path
        return found

    def check(self, target: Path) -> None:
        """Refuse paths that do not exist, and a file in the place of the study's folder."""
        for path in self.paths:
            if not path.exists():
                raise RunError(path, "there is no such folder", "check the path")
        if target.is_file():
            raise RunError(target, "it is a file", "name a folder for the study")

    def source(self, target: Path, *, threads: int, report: StudyReport = SILENT) -> Path:
        """The recordings or windows to learn from; simulates patients in `target` if needed."""
        if self.data is not None:
            return self.data
        if not target.exists():
            write_cohort(
                target,
                patients=self.patients,
                seed=self.seed,
                threads=threads,
                track=lambda done, total: report.on_stage("simulating patients", done, total),
            )
        return target

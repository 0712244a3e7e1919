"""What a study is given, as a window set: one that is there, recordings, or made-up patients."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pacl.cohort import CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.records import (
    IridiaReader,
    Reader,
    ReadOptions,
    cohort_manifest,
    manifest_of,
    open_records,
    without_manifest,
)
from pacl.stored import MisfitError, build
from pacl.studies.errors import RunError
from pacl.windows import Cut, Divide, WindowSet, prepare
from pacl.windows import is_window_set as is_window_set

ProtocolName = Literal["episodes", "pooled"]


def usual_protocol(reader: Reader) -> ProtocolName:
    """The paper's rule where the data is the paper's; elsewhere hardly an episode meets it."""
    return "episodes" if isinstance(without_manifest(reader), IridiaReader) else "pooled"


def make_protocol(name: ProtocolName) -> CohortProtocol:
    """A protocol with its usual settings."""
    return EpisodesProtocol() if name == "episodes" else PooledProtocol()


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
    track: Callable[[int, int], None] | None = None,
) -> Path:
    """Where the windows of a source are: itself if it is a window set, else cut into `target`.

    What lies at `target` already is taken as it is: recordings do not change while a study runs.
    """
    if is_window_set(source):
        return source
    reader = open_records(source, read)
    if is_window_set(target):
        made = WindowSet.open(target).manifest
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
        protocol=protocol or make_protocol(usual_protocol(reader)),
        divide=divide,
        cut=cut,
        allow=allow,
        threads=threads,
        track=track,
    )
    return target


def cut_like(windows: Path) -> Cut:
    """How the windows of a set were cut, so that others can be cut alike."""
    found = WindowSet.open(windows)
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

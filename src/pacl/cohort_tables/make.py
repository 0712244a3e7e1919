"""The tables of a cohort, made part by part, by any workers; the same call continues them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pacl.cohort_tables.folder import TablesFolder
from pacl.cohort_tables.kind import TableKind
from pacl.cohort_tables.manifest import Manifest
from pacl.cohort_tables.part import MOST_DEATHS, PartTask, make_part
from pacl.cohort_tables.plan import CohortPlan, stated_reading
from pacl.errors import PaclError
from pacl.locks import sole_worker
from pacl.records import Reader, ReadOptions
from pacl.work import Workers


@dataclass(frozen=True, slots=True)
class CohortTables:
    """The tables of a cohort, all parts complete."""

    folder: TablesFolder
    manifest: Manifest


NAMED = 3
"""Paths that cannot be opened, named where all are such."""


class TablesError(PaclError):
    """Tables that could not be completed."""


def make_tables(
    target: Path,
    kind: TableKind,
    paths: Sequence[Path],
    *,
    workers: Workers,
    read: ReadOptions | None = None,
    per_part: int | None = None,
    retry_failed: bool = False,
    on_reader: Callable[[Reader], None] = lambda reader: None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> CohortTables:
    """Make the tables of all recordings in a folder; continues where an earlier call stopped.

    Parameters
    ----------
    target
        Folder of the tables: new, or that of the same tables. Workers on other machines must see it
        under the same path.
    kind
        What is made of each recording.
    paths
        Recordings, or folders of recordings.
    workers
        Who does the work; the tables do not depend on them.
    read
        How recordings are read.
    per_part
        Recordings of a part; by default 32, fewer in a small cohort. Of tables that are continued,
        it stays what it was.
    retry_failed
        Try recordings again that failed earlier.
    on_reader
        Called with each reader that is opened.
    advance
        Called with the recordings done and their total.
    """
    target = Path(target).resolve()
    with sole_worker(target):
        plan = CohortPlan.of(paths, read, per_part=per_part, on_reader=on_reader)
        if not plan.items:
            raise TablesError(f"{', '.join(map(str, paths))}: no recordings; check the path")
        if all(one.why is not None for one in plan.items):
            raise TablesError("; ".join(str(one.why) for one in plan.items[:NAMED]))
        folder = TablesFolder(target)
        stated = folder.start(
            kind.command,
            {**kind.settings(), "read": stated_reading(read), "cohorts": plan.declared()},
            recordings=len(plan.items),
            recordings_digest=plan.digest(),
            per_part=plan.per_part,
            left_out=[line for one in plan.readers if one for line in one.left_out],
        )
        plan = CohortPlan(plan.readers, plan.items, stated["per_part"])
        if retry_failed:
            folder.reopen_failed()
        folder.forget_begun()
        _make_parts(folder, kind, plan, workers, advance)
        return CohortTables(folder, folder.finish(plan.parts))


def _make_parts(
    folder: TablesFolder,
    kind: TableKind,
    plan: CohortPlan,
    workers: Workers,
    advance: Callable[[int, int], None],
) -> None:
    """Make all parts that are not complete yet."""
    versions = folder.manifest["versions"]
    files = [plan.state(number) for number in range(plan.parts)]
    done = folder.done(files)
    left = [number for number in range(plan.parts) if number not in done]
    total = len(plan.items)
    finished = total - sum(len(plan.items_of(number)) for number in left)
    advance(finished, total)

    def tasks() -> Iterator[tuple[str, PartTask]]:
        for number in left:
            part = plan.part(number)
            yield (
                f"part {number}",
                PartTask(folder.path, kind, number, part, files[number], versions),
            )

    failures = []
    most = MOST_DEATHS * plan.per_part + 1
    for ended in workers.run(make_part, tasks(), most_deaths=most):
        if ended.result is None:
            failures.append(f"{ended.name}: {ended.failure}")
            continue
        finished += ended.result.recordings
        advance(finished, total)
    if failures:
        raise TablesError(
            f"{folder.path}: {len(failures)} of {plan.parts} parts are missing: {failures[0]}; the "
            "others are kept, and the same command goes on"
        )

"""One part of the tables: its recordings are read, and their rows written; none stops the others.

A recording may even end the process that reads it, if it needs more memory than there is. Each one
is noted when it is begun, so that after `MOST_DEATHS` such ends it is given up, with that as the
reason, and the others of its part are done.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.cohort_tables.folder import TablesFolder, concatenated
from pacl.cohort_tables.kind import OpenKind, Rows, TableKind
from pacl.cohort_tables.manifest import versions
from pacl.cohort_tables.plan import CohortPlan, Item
from pacl.errors import PaclError
from pacl.settings import differences
from pacl.work import Say

if TYPE_CHECKING:
    import pyarrow as pa

MOST_DEATHS = 5
"""A recording is given up if so many processes ended while they were on it."""
ATTEMPT = "-"
"""Begins an attempt at a part, in the file that notes which recordings were begun."""


@dataclass(frozen=True, eq=False, slots=True)
class PartTask:
    """A part to make: where it goes, what of, and how."""

    folder: Path
    kind: TableKind
    number: int
    plan: CohortPlan
    files: str
    """State of the files of its recordings."""
    versions: Mapping[str, str | None]
    """Of packages; workers must have the same, as the last digits may depend on them."""


@dataclass(frozen=True, slots=True)
class PartMade:
    """How many recordings a part has, and how many of them failed."""

    recordings: int
    failed: int


def make_part(task: PartTask, say: Say) -> PartMade:
    """Read all recordings of a part and write their rows; it sends no messages."""
    if differ := differences(dict(task.versions), versions()):
        raise PaclError(
            f"a worker has other packages than the tables were begun with ({', '.join(differ)}); "
            "install the same on all machines"
        )
    folder, plan = TablesFolder(task.folder), task.plan
    rows: dict[str, list[pa.Table]] = {name: [] for name in task.kind.schemas()}
    failed = 0
    opened, begun = task.kind.open(), folder.begun(task.number)
    deaths = _deaths(begun)
    _note(begun, ATTEMPT)
    for number, item in enumerate(plan.items):
        if deaths[number] >= MOST_DEATHS:
            made = _failed(
                task.kind,
                item,
                f"{item.file}: {deaths[number]} processes ended while they read "
                f"{item.record_id}, most likely because memory ran out; give more memory, and "
                "--retry-failed",
            )
            failed += 1
        else:
            _note(begun, str(number))
            try:
                made = _rows(opened, plan, item)
            except _BadRecordingError as error:
                made = _failed(task.kind, item, str(error))
                failed += 1
        for name, table in made.items():
            rows[name].append(table)
    tables = {
        name: concatenated(rows[name], schema) for name, schema in task.kind.schemas().items()
    }
    folder.write_part(
        task.number, tables, recordings=len(plan.items), failed=failed, files=task.files
    )
    return PartMade(len(plan.items), failed)


class _BadRecordingError(Exception):
    """Why a recording has no rows."""


def _rows(opened: OpenKind, plan: CohortPlan, item: Item) -> Rows:
    """Rows of one recording."""
    if item.why is not None:
        raise _BadRecordingError(item.why)
    reader = plan.readers[item.reader]
    assert reader is not None  # noqa: S101 - a path without reader has a reason
    try:
        return opened.rows(reader, reader.read(item.record_id))
    except (PaclError, OSError) as error:
        raise _BadRecordingError(str(error)) from error
    except MemoryError as error:
        raise _BadRecordingError(f"{item.file}: not enough memory to read it") from error
    except Exception as error:  # a fault of ours must not end a hundred thousand others
        raise _BadRecordingError(
            f"an error of pacl itself ({type(error).__name__}: {error}); please report it"
        ) from error


def _failed(kind: TableKind, item: Item, why: str) -> Rows:
    import pyarrow as pa

    first, schema = next(iter(kind.schemas().items()))
    row = {"record": item.record_id, "file": item.file, "error": why}
    return {first: pa.Table.from_pylist([row], schema=schema)}


def _note(path: Path, word: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="ascii") as file:
        file.write(f"{word}\n")


def _deaths(path: Path) -> Counter[int]:
    """For each recording, how many attempts ended on it: it was the last one begun."""
    return Counter(attempt[-1] for attempt in _attempts(path) if attempt)


def _attempts(path: Path) -> Iterator[list[int]]:
    """The recordings that each attempt began."""
    if not path.exists():
        return
    words = path.read_text("ascii", errors="replace").split()
    found: list[int] = []
    for word in words:
        if word == ATTEMPT:
            yield found
            found = []
        elif word.isdecimal():
            found.append(int(word))
    yield found

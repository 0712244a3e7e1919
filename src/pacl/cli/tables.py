"""Tables of a cohort on the command line: workers, progress, and what came of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from pacl.atomic_write import check_not_input
from pacl.cli.messages import print_error, print_left_out, say
from pacl.cli.options import Scheduler, usable_threads
from pacl.cli.progress import progress
from pacl.errors import PaclError
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.cohort_tables import CohortTables, TableKind, TablesFolder
    from pacl.records import ReadOptions
    from pacl.work import Workers

FILES = (".csv", ".htm", ".html", ".json", ".parquet", ".txt")
"""Endings of files; a folder of such a name would be a mistake."""
SHOWN = 5
"""Recordings that failed, named at the end."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Who does the work: processes of this machine, or a cluster."""

    workers: Annotated[int | None, Parameter(validator=Number(gte=1, lte=4096))] = None
    """Number of processes on this machine, with one core each. [default: 1; for a folder of tables,
    one for each core]"""
    scheduler: Scheduler = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.scheduler is not None:
            raise PaclError(
                "--workers is for this machine, --scheduler for a cluster; give one of them"
            )

    @property
    def given(self) -> bool:
        """Whether other processes are asked for."""
        return self.scheduler is not None or (self.workers or 1) > 1

    def open(self) -> "AbstractContextManager[Workers]":
        """Start them, or reach the cluster."""
        from pacl.work import open_workers

        return open_workers(usable_threads(self.workers), self.scheduler)


def write_tables(
    kind: "TableKind",
    paths: Sequence[Path],
    output: Path,
    who: WorkerOptions,
    *,
    read: "ReadOptions | None" = None,
    retry_failed: bool = False,
    what: str = "recordings",
    quiet: bool = False,
) -> "CohortTables":
    """Make the tables of a cohort in a folder, and show how far they are."""
    from pacl.cohort_tables import make_tables

    if output.suffix.lower() in FILES and not output.is_dir():
        raise PaclError(
            f"--output {output}: tables are written into a folder, in parts; give a name without "
            "an ending"
        )
    check_not_input(output, paths)
    with who.open() as workers, progress(what, quiet=quiet) as advance:
        return make_tables(
            output,
            kind,
            paths,
            workers=workers,
            read=read,
            retry_failed=retry_failed,
            on_reader=print_left_out,
            advance=advance,
        )


@contextmanager
def folder_for_tables(output: Path | None, who: WorkerOptions) -> Iterator[Path]:
    """The folder that was asked for, else a temporary one."""
    if output is not None:
        yield output
        return
    if who.scheduler is not None:
        raise PaclError(
            "--scheduler needs --output: a folder that this machine and all workers see under the "
            "same path"
        )
    with TemporaryDirectory(prefix="pacl-") as folder:
        yield Path(folder) / "tables"


def say_tables(made: "CohortTables", column: str | None = None) -> None:
    """Print how many rows there are, and why recordings failed."""
    counts, failed = _counts(made.folder, column)
    path, total = printable(str(made.folder.path)), made.manifest["recordings"]
    rows = ", ".join(f"{count:,} {name}" for name, count in made.manifest["tables"].items())
    say(f"{path}: {rows}")
    for name, count in counts.most_common():
        say(f"  {name:<14}{count:>9,}")
    if failed:
        print_error(
            f"{sum(failed.values()):,} of {total:,} recordings failed; the column error of the "
            "table recordings says why:"
        )
        for why, _ in failed.most_common(SHOWN):
            print_error(why)
        more = f"and {len(failed) - SHOWN:,} more; " if len(failed) > SHOWN else ""
        print_error(f"{more}--retry-failed tries them again")
    if sum(failed.values()) == total:
        raise PaclError(f"{made.folder.path}: all recordings failed")


def _counts(folder: "TablesFolder", column: str | None) -> tuple[Counter[str], Counter[str]]:
    """How often each value of a column occurs, and each reason of a failure."""
    counts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for part in folder.batches("recordings"):
        failed.update(one for one in part.column("error").to_pylist() if one is not None)
        if column is not None:
            counts.update(one for one in part.column(column).to_pylist() if one is not None)
    return counts, failed

"""`pacl features`: features of heart rate variability of recordings."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.types import PositiveInt

from pacl.atomic_write import atomic_write, check_not_input
from pacl.cli.messages import print_error
from pacl.cli.options import READING, InputPath, OutputPath, Quiet
from pacl.cli.tables import WorkerOptions, folder_for_tables, say_tables, write_tables
from pacl.errors import PaclError
from pacl.printable import plain_cell
from pacl.records import ReadOptions

if TYPE_CHECKING:
    from pacl.cohort_tables import TablesFolder

SINGLE = (".csv", ".parquet")


def features(
    *paths: Annotated[InputPath, Parameter(required=True)],
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    window_beats: PositiveInt = 200,
    stride: PositiveInt | None = None,
    who: Annotated[WorkerOptions | None, Parameter(name="*")] = None,
    retry_failed: bool = False,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    quiet: Quiet = False,
) -> None:
    """Compute 74 features of heart rate variability of each window of consecutive beats.

    Time domain, frequency domain, non-linear and irregularity, by the names of NeuroKit2 where it
    has them. One row per window, with its times and the share of its beats that are annotated as
    AF. Intervals outside 200-2000 ms are left out; no window crosses a gap. Recordings that cannot
    be read, or are shorter than a window, are listed at the end; of a file, with exit status 2.

    Parameters
    ----------
    paths
        Recordings, or folders of recordings, as for pacl detect.
    output
        A file that ends in .csv or .parquet; or a folder of tables in parts, for a cohort: killed
        and started again, it goes on where it was. [default: CSV on standard output]
    window_beats
        Beats in a window, at least 16.
    stride
        Beats between the starts of two windows. [default: those in a window]
    retry_failed
        In a folder of tables, try recordings again that failed earlier.

    Examples
    --------
    $ pacl features night.csv
    $ pacl features nights/ -o features.csv --window-beats 300
    $ pacl features cohort/ -o features --workers 8
    """
    from pacl.cohort_tables import HrvTables
    from pacl.features import LEAST_BEATS
    from pacl.rr import Cut

    if window_beats < LEAST_BEATS:
        raise PaclError(f"--window-beats {window_beats}: features need at least {LEAST_BEATS}")
    who = who or WorkerOptions()
    kind = HrvTables(Cut(window_beats, stride or window_beats))
    single = output is None or output.suffix.lower() in SINGLE
    if single and retry_failed:
        raise PaclError("--retry-failed is for a folder of tables: leave it out")
    if single and output is not None:
        check_not_input(output, paths)
    with folder_for_tables(None if single else output, who) as folder:
        made = write_tables(
            kind,
            paths,
            folder,
            who if who.given or not single else WorkerOptions(workers=1),
            read=read,
            retry_failed=retry_failed,
            what="computing features",
            quiet=quiet,
        )
        if not single:
            say_tables(made)
            return
        _put(made.folder, output)
        failures = [
            why
            for part in made.folder.batches("recordings")
            for why in part.column("error").to_pylist()
            if why is not None
        ]
    for why in failures:
        print_error(why)
    if failures:
        sys.exit(2)


def _put(folder: "TablesFolder", output: Path | None) -> None:
    """All rows as one file, or as CSV on standard output."""
    import pyarrow as pa
    from pyarrow import csv

    from pacl.cohort_tables import as_parquet

    table = folder.table("features")
    if output is not None and output.suffix.lower() == ".parquet":
        atomic_write(output, as_parquet(table))
        return
    for at, name in enumerate(("record", "patient", "file")):
        cells = pa.array([plain_cell(one) for one in table.column(name).to_pylist()])
        table = table.set_column(at, name, cells)
    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink, csv.WriteOptions(quoting_style="needed"))
    content = sink.getvalue().to_pybytes()
    if output is not None:
        atomic_write(output, content)
    else:
        print(content.decode(), end="")

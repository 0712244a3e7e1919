"""Overviews of recordings as a table that never cuts a number."""

from collections.abc import Callable, Sequence

from pacl.cli.messages import counted, say
from pacl.printable import printable
from pacl.records import DeclaredReader, Overview, Reader, ReadOptions, Rhythm

Column = tuple[str, Callable[[Overview], str], str]
"""Heading, cell of a recording, and what stands below the line."""


def print_overviews(rows: Sequence[Overview]) -> None:
    """Print a line for each recording and one of totals; empty columns are left out."""
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_footer=len(rows) > 1, padding=0, show_edge=False)
    columns = _columns(rows)
    for heading, _, footer in columns:
        left = heading in ("record", "patient")
        table.add_column(heading, footer=footer, justify="left" if left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(printable(cell(row))) for _, cell, _ in columns))
    console = Console()
    natural = Measurement.get(console, console.options.update(width=10_000), table).maximum
    Console(width=max(natural, 20), soft_wrap=True).print(table)


def _columns(rows: Sequence[Overview]) -> list[Column]:
    kinds = [kind for kind in Rhythm if any(row.rhythm_beats[kind] for row in rows)]
    patients = {row.patient_id for row in rows}
    columns: list[Column] = [("record", lambda row: row.record_id, f"{len(rows)} records")]
    if any(row.patient_id != row.record_id for row in rows):
        columns.append(("patient", lambda row: row.patient_id, f"{len(patients)} patients"))
    if any(row.files > 1 for row in rows):
        columns.append(_sum("files", rows, lambda row: row.files))
    columns.append(_sum("intervals", rows, lambda row: row.beats))
    columns.append(_hours("hours", rows, lambda row: row.hours))
    columns += [_hours(f"{kind.name} h", rows, _of(kind)) for kind in kinds]
    columns.append(_sum("AF runs", rows, lambda row: row.af_episodes))
    columns.append(_sum("gaps", rows, lambda row: row.gaps))
    if any(row.not_judged_s for row in rows):
        columns.append(_hours("noise h", rows, lambda row: row.not_judged_s / 3600))
    columns.append(_sum("odd", rows, lambda row: row.implausible))
    return columns


def _of(kind: Rhythm) -> Callable[[Overview], float]:
    return lambda row: row.rhythm_hours[kind]


def _sum(heading: str, rows: Sequence[Overview], value: Callable[[Overview], int]) -> Column:
    return heading, lambda row: f"{value(row):,}", f"{sum(map(value, rows)):,}"


def _hours(heading: str, rows: Sequence[Overview], value: Callable[[Overview], float]) -> Column:
    return heading, lambda row: f"{value(row):.1f}", f"{sum(map(value, rows)):,.1f}"


def print_declared(reader: Reader, rows: Sequence[Overview], read: ReadOptions | None) -> None:
    """Print that a manifest was applied, and its effect on these recordings.

    Parameters
    ----------
    reader
        The recordings.
    rows
        Those that were read.
    read
        How they were to be read.
    """
    if not isinstance(reader, DeclaredReader):
        return
    manifest = reader.manifest
    done = [manifest.name] if manifest.name else []
    if manifest.unmarked is not None:
        those = counted(len(reader.filled), "record")
        done.append(f"{those} without rhythm marks read as {manifest.unmarked.name}")
    if manifest.patient or manifest.patients:
        if read is not None and read.patients is not None:
            done.append("patients from --patients, not from the manifest")
        else:
            patients = len({row.patient_id for row in rows})
            done.append(f"{counted(len(rows), 'record')} of {counted(patients, 'patient')}")
    if not manifest.as_read():
        done.append("it changes neither rhythms nor patients")
    say(f"{manifest.path}: {', '.join(done)}")

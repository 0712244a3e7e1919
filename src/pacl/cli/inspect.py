"""`pacl inspect`: what recordings hold, as a table, and one of them as a picture."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pacl.cli.options import Quiet
from pacl.cli.progress import progress
from pacl.errors import PaclError
from pacl.records import Overview, Reader, ReadOptions, Rhythm, open_records


def inspect(
    path: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    record: str | None = None,
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
    quiet: Quiet = False,
) -> None:
    """Count what recordings hold, and draw one.

    Prints a line for each recording: beats, hours, rhythms, gaps. With `-o` it draws a recording:
    every interval over time coloured by rhythm, close-ups, and each interval against the next.

    Parameters
    ----------
    path
        A recording or a folder of them: IRIDIA-AF, WFDB annotations, or plain RR text files. A WFDB
        record is named by its path without ending.
    output
        Picture to draw, .png, .svg or .pdf; needs a single recording.
    record
        The one recording to look at, where PATH holds several.
    quiet
        Show no progress.
    """
    reader = open_records(path, read)
    ids = (record,) if record is not None else reader.record_ids
    if record is not None and record not in reader.record_ids:
        raise PaclError(f"{path}: no record {record!r}; choose one of {_some(reader.record_ids)}")
    if output is None:
        _print_table(_count(reader, ids, quiet))
    elif len(ids) > 1:
        raise PaclError(
            f"{path}: {len(ids)} recordings, a picture shows one; choose it with --record, one of "
            f"{_some(ids)}"
        )
    else:
        from pacl.report import compute_tachogram, draw_tachogram

        found = reader.read(ids[0])
        draw_tachogram(compute_tachogram(found), output)
        _print_table([Overview.of(found)])
        print(output)


def _count(reader: Reader, ids: tuple[str, ...], quiet: bool) -> list[Overview]:
    rows = []
    with progress("reading", quiet=quiet) as advance:
        for done, record_id in enumerate(ids, start=1):
            rows.append(Overview.of(reader.read(record_id)))
            advance(done, len(ids))
    return rows


def _some(ids: tuple[str, ...]) -> str:
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")


def _print_table(rows: list[Overview]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    kinds = [kind for kind in Rhythm if any(row.rhythm_beats[kind] for row in rows)]
    patients = {row.patient_id for row in rows}
    totals = {kind: sum(row.rhythm_hours[kind] for row in rows) for kind in kinds}
    columns = [
        ("record", f"{len(rows)} records"),
        ("patient", f"{len(patients)} patients"),
        ("files", f"{sum(row.files for row in rows)}"),
        ("beats", f"{sum(row.beats for row in rows):,}"),
        ("hours", f"{sum(row.hours for row in rows):,.1f}"),
        *((f"{kind.name} h", f"{totals[kind]:,.1f}") for kind in kinds),
        ("AF episodes", f"{sum(row.af_episodes for row in rows):,}"),
        ("gaps", f"{sum(row.gaps for row in rows):,}"),
        ("implausible", f"{sum(row.implausible for row in rows):,}"),
    ]
    table = Table(box=box.SIMPLE_HEAD, show_footer=len(rows) > 1)
    for at, (name, footer) in enumerate(columns):
        table.add_column(name, footer=footer, justify="left" if at < 2 else "right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.record_id,
            row.patient_id,
            f"{row.files}",
            f"{row.beats:,}",
            f"{row.hours:.1f}",
            *(f"{row.rhythm_hours[kind]:.1f}" for kind in kinds),
            f"{row.af_episodes:,}",
            f"{row.gaps:,}",
            f"{row.implausible:,}",
        )
    console = Console()
    # A pipe has no width to fit into: nothing is cut there.
    (console if console.is_terminal else Console(width=200)).print(table)

"""`pacl inspect`: what recordings hold, as a table, and one of them as a picture."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from pacl.atomic_write import check_not_input
from pacl.cli.messages import print_error, print_left_out, say
from pacl.cli.options import READING, InputPath, OutputPath, Quiet
from pacl.cli.overview_table import print_declared, print_overviews
from pacl.cli.progress import late_progress, progress
from pacl.cli.spans import parse_moment
from pacl.cohort import CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.errors import PaclError
from pacl.records import (
    Overview,
    Reader,
    ReadOptions,
    Record,
    RecordError,
    open_records,
    read_ecg,
    shown_path,
    source_files,
)

SECONDS = 30.0


def inspect(
    path: InputPath,
    /,
    *,
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    record: str | None = None,
    protocol: Literal["episodes", "pooled", "none"] | None = None,
    at: str | None = None,
    seconds: float = SECONDS,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    quiet: Quiet = False,
) -> None:
    """Count what recordings hold, and draw one.

    Prints a line for each recording: intervals, hours, rhythms, gaps. With `-o` it draws a
    recording: all intervals over time coloured by rhythm, what is scaled on and cut into windows,
    close-ups, and each interval against the next. Where a cohort.toml was applied, a line states
    its effect. Recordings that cannot be read are named at the end, with status 2.

    With `--at` it draws the ECG around that moment instead, with the beats and what is not judged.

    Parameters
    ----------
    path
        A recording or a folder of them: IRIDIA-AF, WFDB, EDF, exports of watches, straps and apps,
        or text. A WFDB record is named by its path without ending, a folder also by its manifest
        (.toml). It may be at an address, such as https://host/cohort/.
    output
        Picture to draw, .png, .svg or .pdf; needs a single recording.
    record
        The one recording to look at, where PATH holds several.
    protocol
        Draw the beats that this protocol scales on and the windows it cuts. [default: episodes
        where the recording has any that qualify, else pooled where it can be scaled]
    at
        Draw the ECG around this time: of day, such as 01:30, if the recording has a clock, else
        since its start; +0:05 and 300s are since the start.
    seconds
        How much of the ECG to draw, 2 to 300 s.

    Examples
    --------
    $ pacl inspect nights/
    $ pacl inspect nights/ --record night1 -o night1.png
    $ pacl inspect night.edf --at 01:30 -o ecg.png
    """
    if at is not None and output is None:
        raise PaclError("--at draws the ECG at that time; say where to with -o, as in -o ecg.png")
    if at is None and seconds != SECONDS:
        raise PaclError("--seconds is for an ECG: say with --at where it is to be drawn")
    if not 2 <= seconds <= 300:
        raise PaclError(f"--seconds {seconds:g}: give 2 to 300")
    with late_progress(f"reading {Path(shown_path(path)).name}", quiet=quiet) as advance:
        reader = open_records(path, read, advance)
    ids = (record,) if record is not None else reader.record_ids
    if record is not None and record not in reader.record_ids:
        some = _some(reader.record_ids)
        raise PaclError(f"{shown_path(path)}: no record {record!r}; choose one of {some}")
    if record is None:
        print_left_out(reader)
    if output is None:
        _count(reader, ids, read, quiet)
    elif len(ids) > 1:
        raise PaclError(
            f"{shown_path(path)}: {len(ids)} recordings, a picture shows one; choose it with "
            f"--record, one of {_some(ids)}"
        )
    else:
        from pacl.report import compute_recording_picture, draw_recording_picture

        check_not_input(output, source_files([path], read), same_ending=False)
        found = reader.read(ids[0])
        if at is not None:
            _draw_ecg(reader, found, at, seconds, output)
            return
        draw_recording_picture(compute_recording_picture(found, _protocol(found, protocol)), output)
        print_overviews([Overview.of(found)])
        print_declared(reader, [Overview.of(found)], read)
        say(output)


def _draw_ecg(reader: Reader, record: Record, at: str, seconds: float, output: Path) -> None:
    """Draw the ECG around a moment."""
    from pacl.report import compute_ecg_picture, draw_ecg_picture

    ecg = read_ecg(reader, record.record_id)
    at_s = parse_moment(at, record.started, ecg.duration_s, "--at")
    draw_ecg_picture(compute_ecg_picture(record, ecg, at_s, seconds), output)
    say(output)


def _protocol(record: Record, name: str | None) -> CohortProtocol | None:
    """The protocol asked for, or the first that takes anything of the recording."""
    rules: dict[str, CohortProtocol] = {"episodes": EpisodesProtocol(), "pooled": PooledProtocol()}
    if name is not None:
        return rules.get(name)
    return next((rule for rule in rules.values() if rule.select(record).shares), None)


def _count(reader: Reader, ids: tuple[str, ...], read: ReadOptions | None, quiet: bool) -> None:
    rows: list[Overview] = []
    bad: list[RecordError] = []
    with progress("reading", quiet=quiet) as advance:
        for done, record_id in enumerate(ids, start=1):
            try:
                rows.append(Overview.of(reader.read(record_id)))
            except RecordError as error:
                bad.append(error)
            advance(done, len(ids))
    if rows:
        print_overviews(rows)
        print_declared(reader, rows, read)
    for fault in bad:
        print_error(fault)
    if bad:
        sys.exit(2)


def _some(ids: tuple[str, ...]) -> str:
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")

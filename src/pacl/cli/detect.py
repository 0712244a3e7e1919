"""`pacl detect`: AF episodes and burden of recordings, or of a stream, without training."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from pacl.cli.detect_output import Format, check_target, chosen_format
from pacl.cli.detect_recordings import OF_ONE_PERSON, detect_recordings
from pacl.cli.detect_stream import detect_stream
from pacl.cli.messages import print_error
from pacl.cli.options import READING, STANDARD_INPUT, DetectorOptions, InputPath, OutputPath, Quiet
from pacl.cli.tables import WorkerOptions, say_tables, write_tables
from pacl.errors import PaclError
from pacl.records import ReadOptions


def detect(
    *paths: Annotated[InputPath, Parameter(required=True)],
    format: Format | None = None,  # noqa: A002 - the name of the option
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    person: InputPath | None = None,
    compare_only: bool = False,
    edits: InputPath | None = None,
    steps: bool = False,
    retry_failed: bool = False,
    who: Annotated[WorkerOptions | None, Parameter(name="*")] = None,
    judge: Annotated[DetectorOptions | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    quiet: Quiet = False,
) -> None:
    """Find AF in recordings: episodes, burden, and what could not be judged.

    Each beat is judged; nothing is trained. The verdict is AF, AF or flutter, possible AF (short
    episodes only, or low confidence), no AF, or cannot tell (for example if less than half of the
    recording could be judged). A reason is given. Not a medical device: for research, not for
    diagnosis.

    One path to one recording gives one JSON object, or one page. Several paths, a folder, or a file
    of several patients give a JSON list, or a folder of pages with an index, even if there is one
    recording only. A page needs no network and no program but a browser: one can zoom into all
    beats, and print two pages. pacl view shows the same, and lets one say what is AF.
    Recordings that cannot be read, judged or written are listed at the end, with exit status 2; the
    others are completed.

    For a cohort, `-o results` without an ending makes a folder of tables in Parquet: recordings,
    episodes, and with --steps each judged beat. They grow part by part and can be read meanwhile.
    Killed and started again, the same command goes on where it was. A recording that cannot be
    read is a row with the reason, and does not count as an error of the command.

    With `-` as the path, intervals in ms are read from standard input, one per line. One line is
    printed for each beat, 60 to 70 beats later: seconds, probability of AF, and AF or -; with
    `--format json`, one object. A first line that is not a number is treated as a header. If no
    beat could be judged, the reason is printed at the end: on standard error, or as the last
    object.

    Parameters
    ----------
    paths
        Recordings, or folders of recordings, here or at an address such as s3://hospital/holter: an
        ECG (EDF, WFDB, text), an export of a watch, a strap or an app (FIT, Apple Health, JSON,
        zip), RR intervals or beat times as text, WFDB annotations, IRIDIA-AF. Give a WFDB record as
        its path without ending.
    format
        text, json, csv (one row per episode), html (a page), or tables (Parquet). [default: from
        the ending of the output; tables for a name without ending; else text] A format that
        contradicts the ending is an error.
    output
        A file that ends in .txt, .json, .csv or .html, or a folder for tables or pages. Inputs are
        never overwritten. [default: standard output]
    mode
        look-ahead judges each beat by the beats before and after it; causal judges as in a stream,
        with a delay of at most 70 beats.
    person
        A profile of the person, from pacl adapt. The result without it is shown as well.
    compare_only
        The result without the profile stands; the one with it is shown beside.
    edits
        Marks by hand, as pacl view writes them beside a recording: a file, or a folder in which
        that of each recording is looked for by its name. The result without them is shown as well.
    steps
        Write a table of all judged beats, too.
    retry_failed
        In a folder of tables, try recordings again that failed earlier.

    Examples
    --------
    $ pacl detect night.csv
    $ pacl detect night.edf -o night.html
    $ pacl detect cohort/ -o results --workers 8
    $ cat rr.txt | pacl detect -
    """
    if compare_only and person is None:
        raise PaclError("--compare-only needs a profile to compare with; give --person")
    who, judge = who or WorkerOptions(), judge or DetectorOptions()
    if STANDARD_INPUT in map(str, paths):
        if compare_only:
            raise PaclError("--compare-only is for recordings: leave it out for a stream")
        if edits is not None:
            raise PaclError("--edits is for recordings: leave it out for a stream")
        if who != WorkerOptions() or steps or retry_failed:
            raise PaclError(
                "a stream is judged by this process: leave out --workers, --scheduler, --steps and "
                "--retry-failed"
            )
        _detect_stream(paths, format, output, judge, read or ReadOptions(), person)
        return
    if read is not None and read.start is not None and len(paths) > 1:
        raise PaclError("--start is for one recording: give one path, or leave it out")
    form = chosen_format(format, output)
    check_target(output, form)
    if edits is not None and (form == "tables" or who.given):
        raise PaclError(
            "--edits is for results in one file, or pages, by this process: leave out --workers "
            "and --scheduler, and give -o an ending"
        )
    how = judge.settings(person, use_person=not compare_only)
    how.open()  # refuses weights or a profile that cannot be used, before anything is read
    if output is not None and form == "tables":
        from pacl.cohort_tables import DetectionTables

        if person is not None:
            print_error(OF_ONE_PERSON)
        made = write_tables(
            DetectionTables(how.elsewhere(), mode, steps),
            paths,
            output,
            who,
            read=read,
            retry_failed=retry_failed,
            what="detecting",
            quiet=quiet,
        )
        say_tables(made, "verdict")
        return
    if steps or retry_failed:
        raise PaclError("--steps and --retry-failed are for tables: give -o and a folder")
    if form == "html" and who.given:
        raise PaclError("pages are written by this process: leave out --workers and --scheduler")
    faults = detect_recordings(
        paths,
        form,
        output,
        how,
        mode,
        edits=edits,
        who=who,
        read=read,
        quiet=quiet,
    )
    if faults:
        sys.exit(2)


def _detect_stream(
    paths: Sequence[Path],
    form: Format | None,
    output: Path | None,
    judge: DetectorOptions,
    read: ReadOptions,
    person: Path | None,
) -> None:
    alone = len(paths) == 1 and output is None and read == ReadOptions(unit=read.unit)
    if judge.min_duration != DetectorOptions().min_duration:
        raise PaclError("--min-duration is for recordings: a stream has no verdict; leave it out")
    if not alone or form in ("csv", "html"):
        raise PaclError(
            "a stream is judged in the causal mode and printed at once: give - alone, with no "
            "other options than --format text or json, --weights, --operating-point, --person, "
            "and --unit s for intervals in seconds"
        )
    detect_stream(sys.stdin, "json" if form == "json" else "text", read.unit, judge, person)

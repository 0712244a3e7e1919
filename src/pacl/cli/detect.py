"""`pacl detect`: AF episodes and burden of recordings, or of a stream, without training."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from pacl.atomic_write import atomic_write, check_not_input
from pacl.cli.detect_edits import GivenEdits
from pacl.cli.detect_formats import as_csv, as_json, as_text
from pacl.cli.detect_output import Format, Pages, check_target, chosen_format
from pacl.cli.detect_stream import detect_stream
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.options import STANDARD_INPUT, DetectorOptions, InputPath, OutputPath
from pacl.cli.progress import late_progress
from pacl.errors import PaclError
from pacl.records import (
    Reader,
    ReadOptions,
    RecordError,
    is_one,
    may_be_several,
    open_records,
    shown_path,
    source_files,
)

if TYPE_CHECKING:
    from pacl.detect import Detection
    from pacl.records import Record


def detect(
    *paths: InputPath,
    format: Format | None = None,  # noqa: A002 - the name of the option
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    person: InputPath | None = None,
    compare_only: bool = False,
    edits: InputPath | None = None,
    judge: Annotated[DetectorOptions | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
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
        text, json, csv (one row per episode), or html (a page). [default: from the ending of the
        output, else text] A format that contradicts the ending is an error.
    output
        A file that ends in .txt, .json, .csv or .html, or a folder for pages. Inputs are never
        overwritten. [default: standard output]
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
    """
    if not paths:
        raise PaclError("no recordings; give one or more paths, or - for a stream")
    if compare_only and person is None:
        raise PaclError("--compare-only needs a profile to compare with; give --person")
    if STANDARD_INPUT in map(str, paths):
        if compare_only:
            raise PaclError("--compare-only is for recordings: leave it out for a stream")
        if edits is not None:
            raise PaclError("--edits is for recordings: leave it out for a stream")
        _detect_stream(
            paths, format, output, judge or DetectorOptions(), read or ReadOptions(), person
        )
        return
    if read is not None and read.start is not None and len(paths) > 1:
        raise PaclError("--start is for one recording: give one path, or leave it out")
    form = chosen_format(format, output)
    by_hand = None if edits is None else GivenEdits(edits)
    inputs = (
        *source_files(paths, read),
        *([] if person is None else [person]),
        *([] if by_hand is None else by_hand.files(output)),
    )
    if output is not None:
        check_not_input(output, inputs)
    faults: list[PaclError] = []
    readers = _readers(paths, read, faults)
    several = may_be_several(paths) or not all(map(is_one, readers))
    recordings = sum(len(one.record_ids) for one in readers)
    if by_hand is not None:
        by_hand.check(recordings)
    if person is not None and recordings > 1:
        print_error("the profile is used for all of these recordings: they must be of one person")
    check_target(output, form, several)
    detector = (judge or DetectorOptions()).detector(person, use_person=not compare_only)
    pages = Pages(output, several, inputs) if form == "html" and output is not None else None
    found: list[Detection] = []
    for reader, record in _records(readers, faults, pages):
        try:
            marks = () if by_hand is None else by_hand.marks(record, len(reader.record_ids) > 1)
            detection = detector.detect(record, mode, marks=marks)
            if pages is None:
                found.append(detection)
            else:
                pages.write(reader, record, detection, detector)
        except PaclError as error:
            faults.append(error)
            if pages is not None:
                pages.failed(record.record_id, error)
    if pages is not None:
        pages.finish()
    if by_hand is not None and not faults:
        by_hand.check_found()
    if pages is None and (found or several):
        _put(found, form, several, output, with_edits=by_hand is not None)
    for fault in faults:
        print_error(fault)
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


def _readers(
    paths: Sequence[Path], read: ReadOptions | None, faults: list[PaclError]
) -> list[Reader]:
    """A reader for each path that can be opened; errors of the others are collected."""
    found = []
    for path in paths:
        try:
            with late_progress(f"reading {Path(shown_path(path)).name}") as advance:
                found.append(open_records(path, read, advance))
        except RecordError as error:
            faults.append(error)
            continue
        print_left_out(found[-1])
    return found


def _records(
    readers: Sequence[Reader], faults: list[PaclError], pages: Pages | None
) -> Iterator[tuple[Reader, "Record"]]:
    """Recordings that can be read, with their readers; errors of the others are collected."""
    for reader in readers:
        for record_id in reader.record_ids:
            try:
                yield reader, reader.read(record_id)
            except RecordError as error:
                faults.append(error)
                if pages is not None:
                    pages.failed(record_id, error)


def _put(
    found: Sequence["Detection"],
    form: Format,
    several: bool,
    output: Path | None,
    *,
    with_edits: bool,
) -> None:
    """Print or write all results."""
    if form == "json":
        text = as_json(found, several, with_edits=with_edits)
    else:
        text = (as_csv if form == "csv" else as_text)(found, with_edits=with_edits)
    if output is None:
        print(text, end="")
    else:
        atomic_write(output, text.encode())

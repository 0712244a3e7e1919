"""`pacl detect`: AF episodes and burden of recordings, or of a stream, without any training."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from pacl.atomic_write import atomic_write, check_not_input
from pacl.cli.detect_csv import as_csv
from pacl.cli.detect_pages import Pages
from pacl.cli.detect_stream import detect_stream
from pacl.cli.detect_target import Format, check_target, chosen_format
from pacl.cli.detect_text import as_text
from pacl.cli.detector_options import DetectorOptions
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.options import STANDARD_INPUT, InputPath, OutputPath
from pacl.errors import PaclError
from pacl.records import (
    Reader,
    ReadOptions,
    RecordError,
    may_be_several,
    open_records,
    source_files,
)

if TYPE_CHECKING:
    from pacl.detect import Detection
    from pacl.records import Record


def detect(
    *paths: InputPath,
    format: Format | None = None,  # noqa: A002 - what the person types
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    judge: Annotated[DetectorOptions | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
) -> None:
    """Find AF in recordings: episodes, burden, and what could not be judged.

    Every beat is judged; nothing is trained. The verdict is AF, AF or flutter, possible AF (in
    short episodes alone, or not sure), no AF, or cannot tell, and it says why: also where no AF was
    found but less than half of it could be judged. Not a medical device: for research, not for
    diagnosis.

    One path that names one recording gives one JSON object, or one page. Several paths, a folder,
    or a file of several patients give a JSON list, or a folder of pages, even where one recording
    is found. Recordings that cannot be read or written are named at the end, with status 2; the
    others are done.

    With `-` for a path, intervals in ms are read from standard input, one per line, and one line is
    printed for each beat, 60 to 70 beats later: seconds, probability of AF, and AF or -; with
    `--format json`, one object. A first line that is no number is taken for a header. Where there
    was no decision, the reason comes at the end: on standard error, or as the last object.

    Parameters
    ----------
    paths
        Recordings or folders of them: IRIDIA-AF, WFDB annotations, or plain RR text files. A WFDB
        record is named by its path without ending.
    format
        text to read, json, csv (one row per episode), or html (a page). [default: by the ending of
        the output, else text] A format that contradicts the ending is an error.
    output
        Where to write it: a file that ends in .txt, .json, .csv or .html, or a folder for pages.
        Inputs are never overwritten. [default: standard output]
    mode
        look-ahead judges each beat by what came before and after it; causal as a stream does, with
        a delay of at most 70 beats.
    """
    if not paths:
        raise PaclError("say which recordings to look at, or - for a stream")
    if STANDARD_INPUT in map(str, paths):
        _detect_stream(paths, format, output, judge or DetectorOptions(), read or ReadOptions())
        return
    if read is not None and read.start is not None and len(paths) > 1:
        raise PaclError("--start is of one recording: give one path, or leave it out")
    form = chosen_format(format, output)
    inputs = tuple(source_files(paths, read))
    if output is not None:
        check_not_input(output, inputs)
    faults: list[PaclError] = []
    readers = _readers(paths, read, faults)
    several = may_be_several(paths) or any(len(one.record_ids) > 1 for one in readers)
    check_target(output, form, several)
    detector = (judge or DetectorOptions()).detector()
    pages = Pages(output, several, inputs) if form == "html" and output is not None else None
    found: list[Detection] = []
    for record in _records(readers, faults):
        try:
            detection = detector.detect(record, mode)
            if pages is None:
                found.append(detection)
            else:
                pages.write(record, detection, detector)
        except PaclError as error:
            faults.append(error)
    if pages is None and (found or several):
        _put(found, form, several, output)
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
) -> None:
    alone = len(paths) == 1 and output is None and read == ReadOptions(unit=read.unit)
    if judge.min_duration != DetectorOptions().min_duration:
        raise PaclError("--min-duration is of whole recordings: a stream has no verdict")
    if not alone or form in ("csv", "html"):
        raise PaclError(
            "a stream is judged causally and printed as it comes: give - and nothing else but "
            "--format text or json, --weights, --operating-point, and --unit s where intervals are "
            "in seconds"
        )
    detect_stream(sys.stdin, "json" if form == "json" else "text", read.unit, judge)


def _readers(
    paths: Sequence[Path], read: ReadOptions | None, faults: list[PaclError]
) -> list[Reader]:
    """A reader for each path that can be opened; what is wrong with the others is kept."""
    found = []
    for path in paths:
        try:
            found.append(open_records(path, read))
        except RecordError as error:
            faults.append(error)
            continue
        print_left_out(found[-1])
    return found


def _records(readers: Sequence[Reader], faults: list[PaclError]) -> Iterator["Record"]:
    """Recordings that can be read; what is wrong with the others is kept for the end."""
    for reader in readers:
        for record_id in reader.record_ids:
            try:
                yield reader.read(record_id)
            except RecordError as error:
                faults.append(error)


def _put(found: Sequence["Detection"], form: Format, several: bool, output: Path | None) -> None:
    """Write all answers; a list is one even where it holds one recording, or none."""
    if form == "json":
        objects = [one.to_dict() for one in found]
        told = json.dumps(objects if several else objects[0], indent=1) + "\n"
    else:
        told = as_csv(found) if form == "csv" else as_text(found)
    if output is None:
        print(told, end="")
    else:
        atomic_write(output, told.encode())

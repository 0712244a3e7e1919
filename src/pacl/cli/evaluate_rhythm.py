"""`pacl evaluate-rhythm`: how well AF is detected in annotated recordings."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from pacl.cli.evaluate_rhythm_text import LEVEL, print_evaluation
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.options import READING, DetectorOptions, InputPath, OutputPath, Quiet
from pacl.cli.progress import progress
from pacl.cli.tables import WorkerOptions, folder_for_tables, write_tables
from pacl.errors import PaclError
from pacl.printable import printable
from pacl.records import ReadOptions, open_records, shown_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pacl.af import RatioIntervals
    from pacl.detect.scoring import Flutter, Measure, RhythmComparison, RhythmEvaluation


def evaluate_rhythm(
    path: InputPath,
    /,
    *,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    judge: Annotated[DetectorOptions | None, Parameter(name="*")] = None,
    flutter: Literal["left-out", "as-af", "as-not-af"] | None = None,
    unmarked: Literal["left-out", "as-not-af"] = "left-out",
    format: Literal["text", "json"] = "text",  # noqa: A002 - the name of the option
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    retry_failed: bool = False,
    who: Annotated[WorkerOptions | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate the detector on annotated recordings: by time, beat, segment and episode.

    - Sensitivity (Se): share of AF that was found. Specificity (Sp): share of the rest that was not
      called AF. Positive predictivity (P+): share of called AF that is AF. Each by time, by beat,
      by segments of 30 s (AF if at least half is), and by episode (found if any of it was); gross
      over all patients, and as the average of patients, as in ANSI/AAMI EC57.
    - F1 and accuracy by beat; the error of AF burden; hours of false AF; episodes found by length.
    - False alarms: called episodes that overlap no AF, per 24 h.
    - Onset and offset: called minus true, over the episodes that were found. Above 0 is late, below
      0 is early.
    - The CPSC2021 score: points for the rhythm of a recording, and for each onset and offset within
      two beats. Compare it only between detectors on the same recordings.

    Time that is not annotated or not judged is left out. Intervals over patients need the training
    extra. Recordings that cannot be read are listed, with exit status 2.

    Parameters
    ----------
    path
        Annotated recordings: IRIDIA-AF, WFDB annotations, or text files of RR intervals with a
        rhythm column; also at an address, such as s3://hospital/holter.
    mode
        look-ahead judges each beat by the beats before and after it; causal judges as in a stream,
        with a delay of at most 70 beats.
    flutter
        Atrial flutter is left out, or counts as AF, or as not AF. Studies differ in this. The
        CPSC2021 score always counts it as AF. [default: left-out]
    unmarked
        Beats without a rhythm mark are left out, or count as not AF. The latter is right for
        databases that mark only AF, such as CPSC2021, or nothing, such as NSRDB.
    format
        text, or json with all figures of each patient.
    output
        Folder for a table of the counts of each recording, in parts: killed and started again, the
        command goes on where it was.
    retry_failed
        With --output, try recordings again that failed earlier.

    Examples
    --------
    $ pacl evaluate-rhythm afdb/
    $ pacl evaluate-rhythm cpsc2021/ --flutter as-af --unmarked as-not-af
    $ pacl evaluate-rhythm ltafdb/ --mode causal --format json
    """
    from pacl.detect.scoring import RhythmComparison, evaluate_recordings

    flutter = _flutter(flutter, read or ReadOptions())
    who, judge = who or WorkerOptions(), judge or DetectorOptions()
    detector = judge.detector()
    if retry_failed and output is None:
        raise PaclError("--retry-failed is for tables: give -o and a folder")
    if output is not None or who.given:
        compare = RhythmComparison(mode, flutter, unmarked)
        found, recordings = _by_workers(
            path, output, judge, compare, who, read, retry_failed=retry_failed, quiet=quiet
        )
    else:
        reader = open_records(path, read)
        recordings = len(reader.record_ids)
        print_left_out(reader)
        with progress("detecting", quiet=quiet) as advance:
            found = evaluate_recordings(
                reader, detector, mode, flutter=flutter, unmarked=unmarked, advance=advance
            )
    _warn(found, path, recordings)
    for fault in found.faults:
        print_error(fault)
    if found.patients or not found.faults:
        scores, intervals = found.scores(), intervals_of(found)
        if format == "json":
            told = {"path": shown_path(path), **found.to_dict(intervals, LEVEL)}
            print(json.dumps(told, indent=1))
        else:
            print_evaluation(found, scores, intervals)
    if found.faults:
        sys.exit(2)


def _by_workers(
    path: Path,
    output: Path | None,
    judge: DetectorOptions,
    compare: "RhythmComparison",
    who: WorkerOptions,
    read: ReadOptions | None,
    *,
    retry_failed: bool,
    quiet: bool,
) -> "tuple[RhythmEvaluation, int]":
    """The same by other processes, through a table; and the number of recordings."""
    from pacl.cohort_tables import RhythmTables, recording_scores

    settings = judge.settings().elsewhere()
    with folder_for_tables(output, who) as folder:
        made = write_tables(
            RhythmTables(settings, compare),
            [path],
            folder,
            who,
            read=read,
            retry_failed=retry_failed,
            what="detecting",
            quiet=quiet,
        )
        found = compare.joined(recording_scores(made.folder), settings.open())
        return found, made.manifest["recordings"]


def _flutter(asked: "Flutter | None", read: ReadOptions) -> "Flutter":
    """The convention, which must not contradict --flutter-is-af."""
    if not read.flutter_is_af:
        return asked or "left-out"
    if asked not in (None, "as-af"):
        raise PaclError(
            f"--flutter {asked} contradicts --flutter-is-af, which reads flutter as AF; leave out "
            "one of them"
        )
    return "as-af"


def _warn(found: "RhythmEvaluation", path: Path, recordings: int) -> None:
    """Warn where the figures may be too optimistic."""
    learned = found.learned_from
    if learned:
        text = (
            f"warning: {found.weights} was trained on {len(learned)} of {recordings} recordings of "
            f"{printable(shown_path(path))}, such as {printable(learned[0])}; expect worse figures "
            "in other patients"
        )
    elif learned is None:
        text = (
            f"note: {found.weights} does not list the recordings it was trained on; if these are "
            "among them, expect worse figures in other patients"
        )
    else:
        return
    print(text, file=sys.stderr)


def intervals_of(found: "RhythmEvaluation") -> "Mapping[Measure, RatioIntervals] | None":
    """Intervals over patients; None where the training extra is not installed."""
    try:
        from pacl.af import rhythm_intervals

        return rhythm_intervals(list(found.patients.values()), level=LEVEL)
    except ModuleNotFoundError as error:
        if (error.name or "pacl").partition(".")[0] == "pacl":
            raise
        return None

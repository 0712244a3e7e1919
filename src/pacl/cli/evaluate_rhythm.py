"""`pacl evaluate-rhythm`: how well AF is detected in annotated recordings."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from pacl.cli.detector_options import DetectorOptions
from pacl.cli.evaluate_rhythm_text import print_figures
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.options import InputPath, Quiet
from pacl.cli.progress import progress
from pacl.errors import PaclError
from pacl.printable import printable
from pacl.records import Reader, ReadOptions, RecordError, open_records

if TYPE_CHECKING:
    from pacl.detect import Detector, Mode
    from pacl.detect.rhythm_agreement import Agreement
    from pacl.detect.rhythm_conventions import Flutter, Unmarked


def evaluate_rhythm(
    path: InputPath,
    /,
    *,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    judge: Annotated[DetectorOptions | None, Parameter(name="*")] = None,
    flutter: Literal["left-out", "as-af", "as-not-af"] | None = None,
    unmarked: Literal["left-out", "as-not-af"] = "left-out",
    format: Literal["text", "json"] = "text",  # noqa: A002 - what the person types
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
    quiet: Quiet = False,
) -> None:
    """Judge the detector on annotated recordings: by time, beat, segment and episode.

    - Sensitivity (Se): the share of AF that was found. Specificity (Sp): the share of the rest that
      was not called AF. Positive predictivity (P+): the share of what was called AF that is AF.
      Each by time, by beat, by segments of 30 s (AF if at least half is), and by episode (found if
      any of it was), gross over all patients and as the average of patients, as in ANSI/AAMI EC57.
    - F1 and accuracy by beat; the error of AF burden; hours of false AF; episodes found by length.
    - False alarms: called episodes that overlap no AF, in 24 h.
    - Onset and offset: how late they are called in episodes that were found; below 0 is early.
    - The CPSC2021 score: points for the rhythm of a recording and for each onset and offset within
      two beats. Compare it only between detectors on the same recordings.

    What is not annotated and what the detector does not judge is left out. Intervals over patients
    are given where what training needs is installed. Recordings that cannot be read are named, with
    status 2.

    Parameters
    ----------
    path
        Annotated recordings: IRIDIA-AF, WFDB annotations, or plain RR text files with a rhythm
        column.
    mode
        look-ahead judges each beat by what came before and after it; causal as a stream does, with
        a delay of at most 70 beats.
    flutter
        Whether atrial flutter is left out, counts as AF, or as not AF. Studies differ in this. The
        CPSC2021 score counts it as AF in any case. [default: left-out]
    unmarked
        Whether beats without a rhythm mark are left out or count as not AF. The latter is right for
        databases that mark AF alone, such as CPSC2021, or nothing, such as NSRDB.
    format
        text to read, or everything, each patient too, as json.
    quiet
        Show no progress.
    """
    flutter = _flutter(flutter, read or ReadOptions())
    reader = open_records(path, read)
    print_left_out(reader)
    detector = (judge or DetectorOptions()).detector()
    patients, learned, bad = _compare(reader, detector, mode, flutter, unmarked, quiet)
    if learned:
        print(
            f"warning: {detector.judge.name} learned from {len(learned)} of "
            f"{len(reader.record_ids)} recordings of {printable(str(path))}, "
            f"such as {printable(learned[0])}; expect worse figures in other patients",
            file=sys.stderr,
        )
    elif learned is None:
        print(
            f"note: {detector.judge.name} does not say which recordings it learned from; if these "
            "are among them, expect worse figures in other patients",
            file=sys.stderr,
        )
    told: dict[str, Any] = {
        "path": str(path),
        "mode": mode,
        "flutter": flutter,
        "unmarked": unmarked,
        "weights": detector.judge.name,
        "operating_point": detector.operating_point,
        "learned_from": learned,
    }
    for fault in bad:
        print_error(fault)
    if patients or not bad:
        told |= figures_of(patients)
        if format == "json":
            print(json.dumps(told, indent=1))
        else:
            print_figures(told)
    if bad:
        sys.exit(2)


def _flutter(asked: "Flutter | None", read: ReadOptions) -> "Flutter":
    """The convention, which reading flutter as AF must not contradict."""
    if not read.flutter_is_af:
        return asked or "left-out"
    if asked not in (None, "as-af"):
        raise PaclError(
            f"--flutter {asked} contradicts --flutter-is-af, which reads flutter as AF; drop one"
        )
    return "as-af"


def _compare(
    reader: Reader,
    detector: "Detector",
    mode: "Mode",
    flutter: "Flutter",
    unmarked: "Unmarked",
    quiet: bool,
) -> tuple[dict[str, "Agreement"], list[str] | None, list[PaclError]]:
    """What was counted in each patient, what was learned from, and what could not be read.

    None in the middle where the weights do not say what they learned from.
    """
    from pacl.detect import DetectError
    from pacl.detect.rhythm_agreement import Agreement, recording_agreement

    patients: dict[str, Agreement] = {}
    learned: list[str] | None = []
    bad: list[PaclError] = []
    with progress("detecting", quiet=quiet) as advance:
        for done, record_id in enumerate(reader.record_ids, start=1):
            try:
                record = reader.read(record_id)
                detection = detector.detect(record, mode)
            except (RecordError, DetectError) as error:
                bad.append(error)
            else:
                found = recording_agreement(record, detection, flutter, unmarked)
                patients[record.patient_id] = patients.get(record.patient_id, Agreement()) + found
                if detection.learned_from is None:
                    learned = None
                elif detection.learned_from and learned is not None:
                    learned.append(record_id)
            advance(done, len(reader.record_ids))
    return patients, learned, bad


def figures_of(patients: Mapping[str, "Agreement"]) -> dict[str, Any]:
    """Everything that is told, in plain values."""
    from pacl.detect.rhythm_agreement import MEASURES
    from pacl.detect.rhythm_scores import rhythm_scores

    told = rhythm_scores(list(patients.values())).to_dict()
    try:
        from pacl.evaluation.intervals import LEVEL
        from pacl.evaluation.rhythm import rhythm_intervals

        intervals = rhythm_intervals(list(patients.values()))
    except ModuleNotFoundError as error:
        if (error.name or "pacl").partition(".")[0] == "pacl":
            raise
        intervals = None
    told["interval_level"] = LEVEL if intervals else None
    for measure in MEASURES:
        for kind in ("gross", "average"):
            found = getattr(intervals[measure], kind) if intervals else None
            ends = [found.low, found.high] if found else None
            told["measures"][measure][f"{kind}_interval"] = ends
    told["nothing_counted"] = [name for name, one in patients.items() if one.counted_s <= 0]
    told["per_patient"] = [
        {
            "patient": name,
            "counted_h": one.counted_s / 3600,
            "true_burden": one.true_burden,
            "called_burden": one.called_burden,
            "burden_error_points": one.burden_error,
            "true_episodes": len(one.true_episodes),
            "called_episodes": one.called_episodes,
            "false_episodes": one.false_episodes,
            **{measure: one.value(measure) for measure in MEASURES},
        }
        for name, one in sorted(patients.items(), key=lambda each: -(each[1].burden_error or 0.0))
    ]
    return told

"""`pacl evaluate-rhythm`: how well AF is detected in annotated recordings, by time and episode."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from pacl.cli.counted import counted
from pacl.cli.left_out import print_left_out
from pacl.cli.options import InputPath, Quiet
from pacl.cli.printable import print_error, printable
from pacl.cli.progress import progress
from pacl.errors import PaclError
from pacl.records import Reader, ReadOptions, RecordError, open_records

if TYPE_CHECKING:
    from rich.table import Table

    from pacl.detect.rhythm_agreement import Agreement

WORST = 5
_NUMBERS = (
    *((0, 1), (3, 3), (5, 8), (10, 13), (15, 26), (28, 28), (30, 30), (32, 35)),
    *((37, 39), (42, 45), (47, 49), (51, 51), (53, 56), (58, 58), (60, 60), (62, 62)),
    *((64, 65), (68, 72), (74, 75), (100, 105), (110, 122), (200, 208)),
)
"""First and last of each row of numbers that LTAFDB has."""
LTAFDB = frozenset(f"{at:02}" for first, last in _NUMBERS for at in range(first, last + 1))
"""Records that the bundled weights were trained on."""
NAMES = {
    "duration_sensitivity": "AF time found (Se)",
    "duration_predictivity": "called time that is AF (P+)",
    "episode_sensitivity": "AF episodes found (Se)",
    "episode_predictivity": "called episodes that are AF (P+)",
}
LENGTHS = ("below 30 s", "30 s to 2 min", "2 to 5 min", "5 to 30 min", "30 min and longer")


def evaluate_rhythm(
    path: InputPath,
    /,
    *,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    format: Literal["text", "json"] = "text",  # noqa: A002 - what the person types
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
    quiet: Quiet = False,
) -> None:
    """Judge the detector on annotated recordings, by time in AF and by episode.

    Sensitivity (Se) and positive predictivity (P+) as in ANSI/AAMI EC57: gross, over all time and
    episodes together, and the average over patients; the error of AF burden; episodes found by
    their length. What is annotated as atrial flutter or not at all, and what the detector does not
    judge, is left out. Intervals over patients are told where what training needs is installed.
    Recordings that cannot be read are named, with status 2.

    Parameters
    ----------
    path
        Annotated recordings: IRIDIA-AF, WFDB annotations, or plain RR text files with a rhythm
        column.
    mode
        look-ahead judges each moment by what came before and after it; causal by what came before,
        as a stream would.
    format
        text to read, or everything, each patient too, as json.
    quiet
        Show no progress.
    """
    reader = open_records(path, read)
    print_left_out(reader)
    in_sample = learned_from(path, reader)
    if in_sample:
        print(
            f"warning: {printable(str(path))} looks like LTAFDB, which the bundled weights were "
            "trained on; expect worse figures in patients they were not trained on",
            file=sys.stderr,
        )
    patients, bad = _compare(reader, mode, quiet)
    told: dict[str, Any] = {"path": str(path), "mode": mode, "trained_on_these": in_sample}
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


def learned_from(path: Path, reader: Reader) -> bool:
    """Whether recordings bear the names of those the weights were trained on: no more is known."""
    names = {record_id.rpartition("/")[2] for record_id in reader.record_ids}
    folders = {part.lower() for part in path.resolve().parts}
    return names >= LTAFDB or "ltafdb" in folders


def _compare(
    reader: Reader, mode: Literal["look-ahead", "causal"], quiet: bool
) -> tuple[dict[str, "Agreement"], list[PaclError]]:
    """What was counted in each patient, and what could not be read."""
    from pacl.detect import DetectError, Detector
    from pacl.detect.rhythm_agreement import Agreement, agreement
    from pacl.detect.rhythm_spans import compared_spans

    detector = Detector()
    patients: dict[str, Agreement] = {}
    bad: list[PaclError] = []
    with progress("detecting", quiet=quiet) as advance:
        for done, record_id in enumerate(reader.record_ids, start=1):
            try:
                record = reader.read(record_id)
                detection = detector.detect(record, mode)
            except (RecordError, DetectError) as error:
                bad.append(error)
            else:
                found = agreement(compared_spans(record, detection))
                patients[record.patient_id] = patients.get(record.patient_id, Agreement()) + found
            advance(done, len(reader.record_ids))
    return patients, bad


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
            **{measure: one.value(measure) for measure in MEASURES},
        }
        for name, one in sorted(patients.items(), key=lambda each: -(each[1].burden_error or 0.0))
    ]
    return told


def print_figures(told: Mapping[str, Any]) -> None:
    """As a person reads them."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:  # what is piped into a file is as wide as it is
        console = Console(highlight=False, markup=False, width=10_000)
    print(
        f"{counted(told['patients'], 'patient')}, {told['counted_h']:.1f} h counted, "
        f"{told['true_af_h']:.1f} h AF, {told['called_af_h']:.1f} h called AF; {told['mode']}"
    )
    if told["nothing_counted"]:
        print(f"nothing annotated that was judged: {printable(', '.join(told['nothing_counted']))}")
    table = _table("", "gross", "average", "patients")
    for measure, one in told["measures"].items():
        cells = (_number(one[kind], one[f"{kind}_interval"]) for kind in ("gross", "average"))
        table.add_row(NAMES[measure], *cells, str(one["patients"]))
    console.print(table)
    if told["interval_level"] is None:
        print("no intervals over patients: they need pip install 'pacl[train]'")
    else:
        print(f"in brackets: {100 * told['interval_level']:g} % intervals over patients")
    error = told["burden_error_points"]
    print(
        f"\nAF burden off by {error['median']:.2f} points (median; quartiles "
        f"{error['lower_quartile']:.2f} to {error['upper_quartile']:.2f}, mean {error['mean']:.2f})"
    )
    false_h = told["false_af_h_per_day"]
    if false_h is not None:
        print(f"{false_h:.2f} h called AF in 24 h without AF")
    print()
    table = _table("AF episodes by length", "episodes", "found", "Se")
    for name, one in zip(LENGTHS, told["episode_sensitivity_by_length"], strict=True):
        table.add_row(name, str(one["episodes"]), str(one["found"]), _number(one["sensitivity"]))
    console.print(table)
    print()
    table = _table("patients with the worst burden", "true %", "called %", "off by")
    for one in [each for each in told["per_patient"] if each["counted_h"] > 0][:WORST]:
        shares = (100 * one["true_burden"], 100 * one["called_burden"], one["burden_error_points"])
        table.add_row(printable(one["patient"]), *(f"{share:.2f}" for share in shares))
    console.print(table)


def _table(*heads: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    return table


def _number(value: float | None, interval: list[float] | None = None) -> str:
    if value is None:
        return "-"
    ends = "" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]"
    return f"{value:.3f}{ends}"

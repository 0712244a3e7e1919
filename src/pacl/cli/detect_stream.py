"""`pacl detect -`: intervals from standard input, one line for each decision."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from pacl.cli.messages import print_error
from pacl.cli.options import DetectorOptions
from pacl.errors import PaclError
from pacl.printable import printable
from pacl.records.text import MAX_LINE_CHARS, MS_PER, Unit

if TYPE_CHECKING:
    from pacl.detect import Decision, PersonNotice

StreamFormat = Literal["text", "json"]
WHERE = "standard input"
SHOWN_CHARS = 40
FIRST_INTERVALS = 200
"""If none of the first 200 intervals is plausible, the unit is wrong."""


def detect_stream(
    lines: TextIO,
    form: StreamFormat = "text",
    unit: Unit = "auto",
    judge: DetectorOptions | None = None,
    person: Path | None = None,
) -> None:
    """Print decisions as they are made; if there are none, print the reason at the end."""
    from pacl.detect import DetectError, StreamDetector

    judge = judge or DetectorOptions()
    detector = StreamDetector(judge.weights, operating_point=judge.operating_point, person=person)
    decided, said = 0, 0
    ms_per = MS_PER["s" if unit == "s" else "ms"]
    for number, rr in _intervals(lines):
        try:
            decisions = detector.push(rr * ms_per)
        except DetectError as error:
            raise PaclError(f"{WHERE}, line {number}: {error}") from error
        offered = detector.offered
        if offered.beats == FIRST_INTERVALS and not offered.plausible:
            raise PaclError(f"{WHERE}: {offered.why_nothing()}; give ms, or seconds with --unit s")
        decided += _print(decisions, form)
        said = _print_notices(detector.notices, said)
    decided += _print(detector.finish(), form)
    if decided:
        return
    why = detector.offered.why_nothing()
    if form == "json":
        print(json.dumps({"verdict": "cannot tell", "reason": why}), flush=True)
    else:
        print_error(f"{WHERE}: cannot tell: {why}")


def _print(decisions: "tuple[Decision, ...]", form: StreamFormat) -> int:
    """Print decisions, and return their number."""
    if decisions:
        print("\n".join(decision_line(one, form) for one in decisions), flush=True)
    return len(decisions)


def _print_notices(notices: "tuple[PersonNotice, ...]", said: int) -> int:
    """Print notices about the profile that are new, and return the number of all."""
    for one in notices[said:]:
        print_error(f"{one.text}{' The profile is not used.' if one.sets_aside else ''}")
    return len(notices)


def decision_line(decision: "Decision", form: StreamFormat, **more: str) -> str:
    """A decision as a line; `more` comes first in an object."""
    if form == "text":
        label = "AF" if decision.af else "-"
        return f"{decision.time_s:.3f}\t{decision.probability:.6f}\t{label}"
    time_s, probability = round(decision.time_s, 3), round(decision.probability, 6)
    return json.dumps({**more, "time_s": time_s, "probability": probability, "af": decision.af})


def _intervals(lines: TextIO) -> Iterator[tuple[int, float]]:
    """Each interval with its line number, from 1; blank lines and a header are skipped."""
    number = filled = 0
    while line := lines.readline(MAX_LINE_CHARS + 2):  # and its end, or one character too many
        number += 1
        if len(line.rstrip("\n")) > MAX_LINE_CHARS:
            raise PaclError(
                f"{WHERE}: line {number} has more than {MAX_LINE_CHARS:,} characters; write one "
                "interval per line"
            )
        text = line.strip().lstrip("\N{ZERO WIDTH NO-BREAK SPACE}")  # a byte order mark
        if not text:
            continue
        filled += 1
        rr_ms = _number(text)
        if rr_ms is not None:
            yield number, rr_ms
            continue
        shown = printable(text[:SHOWN_CHARS])
        if filled > 1:
            raise PaclError(
                f"{WHERE}, line {number}: '{shown}' is not an interval; give one interval in "
                "ms per line"
            )
        print_error(f"{WHERE}, line {number}: '{shown}' treated as a header")


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)  # Python reads 8_00 as 800
    except ValueError:
        return None

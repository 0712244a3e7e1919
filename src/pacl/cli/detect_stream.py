"""`pacl detect -`: intervals from standard input, a line for each decision."""

import sys
from collections.abc import Iterator
from typing import TextIO

from pacl.errors import PaclError
from pacl.records import PLAUSIBLE_MS
from pacl.records.text.table import MAX_LINE_CHARS

WHERE = "standard input"


def detect_stream(lines: TextIO) -> None:
    """Print decisions as they are made; at the end, why there was none."""
    from pacl.detect import DetectError, StreamDetector

    detector = StreamDetector()
    heard = plausible = decided = 0
    for number, rr_ms in _intervals(lines):
        heard += 1
        plausible += PLAUSIBLE_MS[0] <= rr_ms <= PLAUSIBLE_MS[1]
        if heard == detector.scorer.window_beats and not plausible:
            raise PaclError(f"{WHERE}: {_none_plausible(heard)}")
        try:
            decision = detector.push(rr_ms)
        except DetectError as error:
            raise PaclError(f"{WHERE}, line {number}: {error}") from error
        if decision is not None:
            decided += 1
            said = "AF" if decision.af else "-"
            print(f"{decision.time_s:.3f}\t{decision.probability:.6f}\t{said}", flush=True)
    if not decided:
        why = _why_nothing(heard, plausible, detector.windows, detector.scorer.window_beats)
        print(f"pacl: {WHERE}: cannot tell: {why}", file=sys.stderr)


def _intervals(lines: TextIO) -> Iterator[tuple[int, float]]:
    """Each interval with its line, from 1; blank lines are passed over."""
    number = 0
    while line := lines.readline(MAX_LINE_CHARS + 2):  # and its end, or one character too many
        number += 1
        if len(line.rstrip("\n")) > MAX_LINE_CHARS:
            raise PaclError(
                f"{WHERE}: line {number} has more than {MAX_LINE_CHARS:,} characters; write one "
                "interval a line"
            )
        if not line.strip():
            continue
        try:
            yield number, float(line)
        except ValueError as error:
            shown = line.strip()[:40]
            raise PaclError(
                f"{WHERE}, line {number}: {shown!r} is no interval; give ms, one a line"
            ) from error


def _why_nothing(heard: int, plausible: int, windows: int, window_beats: int) -> str:
    from pacl.detect.detector import UNFIT

    if not heard:
        return "no intervals"
    if not plausible:
        return _none_plausible(heard)
    if not windows:
        return (
            f"{plausible} plausible intervals of {heard}, {window_beats} without a gap are needed"
        )
    return UNFIT


def _none_plausible(heard: int) -> str:
    low, high = PLAUSIBLE_MS
    return f"none of {heard} intervals lies within {low:g}-{high:g} ms; give ms"

"""The last minutes of intervals, drawn with block characters."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from pacl.live import State

S_PER_COLUMN = 3.0
LABEL = 6
"""Columns left of the drawing, for its scale."""
_LEAST_SPAN_MS, _STEP_MS = 300.0, 100.0
_DEFAULT_MS = (600.0, 1100.0)
_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def tachogram(state: "State", end_s: float, width: int, height: int) -> list[Text]:
    """Lines that show each recent interval by its length, AF in red, and a time axis.

    Each character has two points, one above the other. Below is what was decided: a bar for AF, a
    dot for no AF, nothing where it is not yet known.
    """
    columns, rows = max(width - LABEL, 1), max(height - 2, 2)
    begin_s = end_s - columns * S_PER_COLUMN
    shown = [one for one in state.recent if one.valid and one.start_s >= begin_s]
    low, high = _scale([one.rr_ms for one in shown])
    points: dict[tuple[int, int], bool] = {}
    for one in shown:
        column = min(int((one.start_s - begin_s) / S_PER_COLUMN), columns - 1)
        height_share = min(max((one.rr_ms - low) / (high - low), 0.0), 1.0)
        points[column, round((1 - height_share) * (2 * rows - 1))] = True
    decided = _decided(state, begin_s, columns)
    lines = []
    for row in range(rows):
        label = f"{high:g}" if row == 0 else f"{low:g}" if row == rows - 1 else ""
        line = Text(f"{label:>{LABEL - 2}}│ " if label else f"{'':>{LABEL - 2}}│ ")
        for column in range(columns):
            halves = ((column, 2 * row) in points, (column, 2 * row + 1) in points)
            style = {"█": "bold red", "·": "green"}.get(decided[column], "")
            line.append(_BLOCKS[halves], style=style)
        lines.append(line)
    return [*lines, _decision_line(decided), _axis(columns)]


def _scale(rr_ms: Sequence[float]) -> tuple[float, float]:
    """Round lengths between which nearly all intervals lie."""
    if not rr_ms:
        return _DEFAULT_MS
    ordered = sorted(rr_ms)
    aside = len(ordered) // 50
    low = ordered[aside] // _STEP_MS * _STEP_MS
    high = -(-ordered[-1 - aside] // _STEP_MS) * _STEP_MS
    while high - low < _LEAST_SPAN_MS:
        low, high = max(low - _STEP_MS, 0.0), high + _STEP_MS
    return low, high


def _decided(state: "State", begin_s: float, columns: int) -> list[str]:
    """For each column: a bar for AF, a dot for no AF, a blank before the decision."""
    until_s = state.decision.time_s if state.decision else _last_end_s(state.recent_af)
    marks = []
    for column in range(columns):
        start_s = begin_s + column * S_PER_COLUMN
        end_s = start_s + S_PER_COLUMN
        marks.append("·" if 0 < end_s <= until_s else " ")
    for start_s, stop_s in state.recent_af:
        first = int((start_s - begin_s) // S_PER_COLUMN)
        last = int((stop_s - begin_s) // S_PER_COLUMN)
        for column in range(max(first, 0), min(last, columns - 1) + 1):
            marks[column] = "█"
    return marks


def _last_end_s(stretches: Iterable[tuple[float, float]]) -> float:
    return max((stop_s for _, stop_s in stretches), default=0.0)


def _decision_line(decided: Sequence[str]) -> Text:
    line = Text(f"{'AF':>{LABEL - 2}}│ ")
    for mark in decided:
        line.append("▀" if mark == "█" else mark, style="bold red" if mark == "█" else "green")
    return line


def _axis(columns: int) -> Text:
    ago = f"{columns * S_PER_COLUMN / 60:.1f} min ago"
    return Text(f"{'ms':>{LABEL - 2}}  {ago}{'now':>{max(columns - len(ago), 4)}}", style="dim")

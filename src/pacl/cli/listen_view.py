"""A live session on a terminal: the last minutes, the decision, and how the connection is."""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pacl.cli.listen_lines import summary_text
from pacl.cli.listen_tachogram import tachogram
from pacl.interrupts import uninterrupted
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.live import Session, Told

REFRESH_S = 0.25
NOTED_S, MOST_NOTES = 30.0, 3
"""How long notes stay on the screen, and how many."""
_BETWEEN = "   "
_SHOWN_RATE = 8
"""Intervals whose mean is the heart rate that is shown."""


class View:
    """Draws a session anew a few times a second, for as long as the block lasts."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()
        self._live = Live(console=self._console, screen=True, auto_refresh=False)
        self._drawn_s = -REFRESH_S
        self._notes: list[tuple[float, str]] = []

    def __enter__(self) -> "View":
        with uninterrupted():  # the cursor is hidden meanwhile
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        with uninterrupted():
            self._live.stop()

    def show(self, told: "Told", session: "Session") -> None:
        """Draw it again, if it is time."""
        now_s = time.monotonic()
        new = [(now_s, note) for note in told.notes]
        self._notes = [one for one in [*self._notes, *new] if now_s - one[0] < NOTED_S][
            -MOST_NOTES:
        ]
        if now_s - self._drawn_s < REFRESH_S:
            return
        self._drawn_s = now_s
        width, height = self._console.size
        notes = [note for _, note in self._notes]
        self._live.update(draw(session, notes, width, height), refresh=True)

    def end(self, session: "Session") -> None:
        """Leave the screen as it was, with a summary."""
        self.__exit__()
        print(printable(summary_text(session)))


def draw(session: "Session", notes: Iterable[str], width: int, height: int) -> Text:
    """The whole screen."""
    width, height = max(width, 20), max(height, 8)
    top = [*_flow(_about_source(session), width), *_flow(_about_heart(session), width)]
    bottom = _flow(_about_file(session), width)
    for note in notes:
        bottom.append(Text(printable(note), style="yellow"))
    bottom = bottom[-max(height - len(top) - 6, 1) :]
    free = height - len(top) - len(bottom) - 1
    picture = tachogram(session.state, session.continuity.passed_s, width, max(free, 4))
    lines = [*top, *picture, *bottom, Text("Ctrl-C ends, and keeps what was written", style="dim")]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Text("\n").join(lines[:height])


def _about_source(session: "Session") -> list[Text]:
    state = session.state
    fields = [Text(printable(state.source or "looking for the strap"), style="bold")]
    if state.source and not state.connected:
        fields.append(Text("not connected, trying again", style="bold yellow"))
    if state.contact is False:
        fields.append(Text("no skin contact", style="bold yellow"))
    elif state.contact:
        fields.append(Text("contact"))
    if state.battery_percent is not None:
        low = "bold yellow" if state.battery_percent < 15 else ""
        fields.append(Text(f"battery {state.battery_percent} %", style=low))
    fields.append(Text(_clock(session.continuity.passed_s)))
    return fields


def _about_heart(session: "Session") -> list[Text]:
    state = session.state
    rate = _rate(session)
    fields = [Text("-- bpm" if rate is None else f"{rate} bpm", style="bold")]
    needed, decision = session.detector.judge.needed_beats, state.decision
    if decision is None:
        left = max(needed - state.run_beats, 0)
        waits = f"{left} more beats needed" if left else "soon"
        fields.append(Text(f"not yet: {waits}", style="bold"))
    else:
        label = (
            Text("AF", style="bold white on red") if decision.af else Text("no AF", "bold green")
        )
        ago_s = max(session.continuity.passed_s - decision.time_s, 0)
        fields += [label, Text(f"probability {decision.probability:.2f}")]
        fields.append(Text(f"as of {ago_s:.0f} s ago", style="dim"))
    fields.append(Text(f"AF {state.af_s / 60:.1f} of {state.decided_s / 60:.1f} min"))
    return fields


def _about_file(session: "Session") -> list[Text]:
    lost_s = session.continuity.lost_s
    lost = f"lost about {session.lost_beats} beats" if lost_s else "no beats lost"
    fields = [Text(f"{session.state.beats} beats"), Text(lost)]
    if session.journal is None:
        fields.append(Text("not written to a file: see -o", style="dim"))
    elif session.journal.problem:
        fields.append(Text(f"NOT WRITTEN: {session.journal.problem}", style="bold red"))
    else:
        fields.append(Text(f"written to {printable(str(session.journal.path))}"))
    return fields


def _flow(fields: Iterable[Text], width: int) -> list[Text]:
    """Fields side by side, in as many lines as they need."""
    lines: list[Text] = []
    for field in fields:
        if lines and lines[-1].cell_len + len(_BETWEEN) + field.cell_len <= width:
            lines[-1].append(_BETWEEN).append_text(field)
        else:
            lines.append(field.copy())
    return lines


def _rate(session: "Session") -> int | None:
    """Heart rate of the last beats, or as the strap says."""
    last = [one.rr_ms for one in list(session.state.recent)[-_SHOWN_RATE:] if one.valid]
    return round(60_000 * len(last) / sum(last)) if last else session.state.rate_bpm


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"

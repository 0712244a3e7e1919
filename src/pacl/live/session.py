"""A live session: packets in, beats to the file and the detector, decisions out."""

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice

from pacl.detect import Decision, StreamDetector
from pacl.live.continuity import Beat, Continuity
from pacl.live.journal import Journal
from pacl.live.order import InOrder
from pacl.live.row_times import RowTimes
from pacl.live.transport import Connected, Disconnected, Event, LeftOut, Noted, Packet
from pacl.records import GAP_MS, PLAUSIBLE_MS

UNIX_S = (1e9, 4e9)
"""Seconds in here, 2001 to 2096, are Unix time."""
RECENT = 2_000
"""Beats that a screen may show."""
NEIGHBOURS = 30
"""Beats before lost time, or after it, that show how fast the heart was."""
WITHOUT_RR = 30
"""After so many packets without any interval, it is said that the device sends none."""
_NO_RR = (
    "the device sends a heart rate, but no RR intervals, and AF cannot be found in averages; use a "
    "chest strap that sends RR intervals, such as Polar H10"
)


@dataclass(frozen=True, slots=True)
class Told:
    """What an event led to: beats, decisions, and lines for a person."""

    beats: tuple[Beat, ...] = ()
    decisions: tuple[Decision, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class State:
    """How the session stands; what a screen shows."""

    source: str = ""
    connected: bool = False
    contact: bool | None = None
    battery_percent: int | None = None
    rate_bpm: int | None = None
    started: datetime | None = None
    beats: int = 0
    run_beats: int = 0
    """Plausible beats since the last gap."""
    left_out: int = 0
    breaks: int = 0
    decision: Decision | None = None
    decided_s: float = 0.0
    af_s: float = 0.0
    recent: deque[Beat] = field(default_factory=lambda: deque(maxlen=RECENT))
    recent_af: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=RECENT))
    """Stretches of the recent beats that are in AF."""


class Session:
    """Takes events one by one.

    Parameters
    ----------
    detector
        Decides on each beat, some beats later.
    journal
        The file, where there is one.
    reorders_s
        That of the transport.
    """

    def __init__(
        self, detector: StreamDetector, journal: Journal | None = None, reorders_s: float = 0.0
    ) -> None:
        self.detector, self.journal = detector, journal
        self.order, self.rows, self.continuity = InOrder(reorders_s), RowTimes(), Continuity()
        self.state = State()
        self._begun, self._lost, self._lost_first_ms = False, 0.0, 0.0
        self._empty = self._said = 0
        self._problem: str | None = None

    @property
    def lost_beats(self) -> int:
        """About how many beats were lost, by the intervals before each loss.

        Time that was lost before the first beat is counted by those that follow.
        """
        return round(self._lost + self._beats_in(self._lost_first_ms))

    def take(self, event: Event) -> Told:
        """Take one event."""
        state = self.state
        notes: list[str] = []
        beats: list[Beat] = []
        if isinstance(event, Packet):
            state.contact, state.rate_bpm = event.contact, event.rate_bpm or state.rate_bpm
            notes += self._check_intervals(event)
            for packet in self.rows.push(self.order.push(event)):
                beats += self.continuity.push(packet)
        elif isinstance(event, Connected):
            state.connected, state.source = True, event.name
            state.battery_percent = event.battery_percent
            charge = event.battery_percent
            notes.append(f"connected to {event.name}" + _battery(charge))
        elif isinstance(event, Disconnected):
            state.connected, state.contact = False, None
            state.breaks += 1
            notes.append(f"disconnected: {event.why}; trying again")
            beats += self._break_off()
        elif isinstance(event, LeftOut):
            state.left_out += 1
            notes.append(f"left out: {event.why}")
        elif isinstance(event, Noted):
            notes.append(event.text)
        return self._told(beats, notes)

    def finish(self) -> Told:
        """End the session: the last beats, and decisions on all that are left."""
        try:
            told = self._told(self._break_off(), [])
            rest = self._judged(self.detector.finish())
        finally:
            if self.journal is not None:
                self.journal.close()
        return Told(told.beats, (*told.decisions, *rest), told.notes)

    def _break_off(self) -> list[Beat]:
        waiting = [*self.rows.push(self.order.flush()), *self.rows.flush()]
        beats = [beat for one in waiting for beat in self.continuity.push(one)]
        return [*beats, *self.continuity.break_off()]

    def _told(self, beats: list[Beat], notes: list[str]) -> Told:
        decisions: list[Decision] = []
        if beats and not self._begun:
            self._begin()
        for beat in beats:
            self._count(beat)
            for rr_ms in beat.pieces_ms():
                decisions += self.detector.push(rr_ms)
        if self.journal is not None:
            self.journal.append(beats)
            if self.journal.problem != self._problem:
                self._problem = self.journal.problem
                notes.append(f"{self.journal.path}: {self._problem or 'is written again'}")
        for one in self.detector.notices[self._said :]:
            self._said += 1
            notes.append(f"{one.text}{' The profile is not used.' if one.sets_aside else ''}")
        return Told(tuple(beats), self._judged(tuple(decisions)), tuple(notes))

    def _begin(self) -> None:
        """State when it began, unless the file cannot be continued."""
        began_s, started = self.continuity.began_s, None
        if began_s is not None and UNIX_S[0] <= began_s <= UNIX_S[1]:
            started = datetime.fromtimestamp(began_s, UTC).astimezone()
        if self.journal is not None:
            self.journal.begin(started, self.state.source)
        self.state.started, self._begun = started, True

    def _count(self, beat: Beat) -> None:
        state = self.state
        state.recent.append(beat)
        if beat.valid:
            state.beats += 1
            state.run_beats += _is_plausible(beat)
        elif found := self._beats_in(beat.rr_ms):
            self._lost += found
        else:
            self._lost_first_ms += beat.rr_ms
        if beat.rr_ms > GAP_MS:
            state.run_beats = 0
            state.decision = None

    def _beats_in(self, lost_ms: float) -> float:
        """How many beats that time would have, as fast as the last ones; 0 without any."""
        latest = (one.rr_ms for one in reversed(self.state.recent) if _is_plausible(one))
        usual_ms = list(islice(latest, NEIGHBOURS))
        return lost_ms * len(usual_ms) / sum(usual_ms) if usual_ms else 0.0

    def _judged(self, decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
        state = self.state
        for one in decisions:
            length_s = one.time_s - one.start_s
            state.decided_s += length_s
            state.decision = one
            if one.af:
                state.af_s += length_s
                state.recent_af.append((one.start_s, one.time_s))
        return decisions

    def _check_intervals(self, packet: Packet) -> list[str]:
        if packet.rr_ms:
            self._empty = -1
        elif self._empty >= 0:
            self._empty += 1
        return [_NO_RR] if self._empty == WITHOUT_RR else []


def _is_plausible(beat: Beat) -> bool:
    return beat.valid and PLAUSIBLE_MS[0] <= beat.rr_ms <= PLAUSIBLE_MS[1]


def _battery(percent: int | None) -> str:
    return "" if percent is None else f", battery {percent} %"

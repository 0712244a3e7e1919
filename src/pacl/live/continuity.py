"""Beats in time: lost ones are noticed by the clock, and become time without a beat.

The intervals of a packet are true, whatever was lost before it. But time must stay right, and where
much was lost, beats that did not follow each other must not be taken for neighbours.
"""

from collections import deque
from dataclasses import dataclass

from pacl.live.transport import Packet
from pacl.records import PLAUSIBLE_MS

JITTER_S = 2.0
"""Packets come this much late without anything being lost."""
SETTLED_S, SETTLED_PACKETS = 3.0, 3
"""The clock is believed when all packets of this time, at least so many, were late."""
DRIFT = 0.001
"""By which share the clocks of strap and computer may differ, roundings included."""
MOST_HELD = 600
"""Packets that wait at most while the clock is not yet believed."""
DRIFTING_S = 10.0
"""Over a longer silence the clocks are taken to agree: nothing came that could show it."""
LONGEST_LOST_MS = 12 * 3_600_000.0
"""Longer lost time is divided: no interval may last days."""
MOST_LOST_MS = 30 * 86_400_000.0
"""Nobody waits longer: the clock was set."""


@dataclass(frozen=True, slots=True)
class Beat:
    """An interval and when it began, in seconds since the first; not `valid`: lost time."""

    start_s: float
    rr_ms: float
    valid: bool = True

    def pieces_ms(self) -> tuple[float, ...]:
        """The interval as the detector takes it, and as the file is read again.

        Lost time that is no longer than an interval is divided into pieces too short for a beat,
        so that no filter takes it for one.
        """
        if self.valid or self.rr_ms > PLAUSIBLE_MS[1]:
            return (self.rr_ms,)
        count = int(self.rr_ms // (PLAUSIBLE_MS[0] - 1)) + 1
        return (self.rr_ms / count,) * count


class Continuity:
    """Turns packets into beats whose times agree with the clock.

    ```
    clock      1  2  3  4  5  6  7  8        the clock runs ahead of the sum of the intervals
    sum        1  2  3        4  5  6        by 2 s, and stays ahead: 2 s were lost after 3
    ```

    Late packets alone are no loss: a strap keeps packets and sends them together. So packets wait
    from the first that is too late, until one comes in time again (nothing was lost), or until all
    of 3 s were late. Without a clock nothing can be noticed.

    Intervals that the source marks as wrong, and those without skin contact, are lost time at
    their place, however short: the beats on both sides are no neighbours.
    """

    def __init__(self) -> None:
        self._begun_s: float | None = None
        self._passed_s = 0.0
        self._least_s = 0.0
        self._last_at_s = 0.0
        self._held: deque[tuple[Packet, float]] = deque()
        self._held_s = 0.0
        self._broken = self._marked = False
        self._owed_ms = 0.0
        self.lost_s = 0.0
        """Time without beats, from the first beat on."""
        self.unused = 0
        """Intervals not used: without contact, marked as wrong, or of length 0."""

    @property
    def began_s(self) -> float | None:
        """Second 0 on the source's clock, where it has one."""
        return self._begun_s

    @property
    def passed_s(self) -> float:
        """Seconds since the first beat began."""
        return self._passed_s

    def push(self, packet: Packet) -> list[Beat]:
        """Take a packet; return the beats that are certain."""
        if packet.contact is False or not packet.usable:
            self.unused += len(packet.rr_ms)
            self._owed_ms += sum(packet.rr_ms)
            self._marked = True
            return self.break_off()
        beats_ms = tuple(one for one in packet.rr_ms if one > 0)
        self.unused += len(packet.rr_ms) - len(beats_ms)
        if not beats_ms:
            return []
        length_s = sum(beats_ms) / 1000
        if packet.at_s is None:
            return [*self.flush(), *self._lose_unused(self._owed_ms), *self._used(beats_ms)]
        if self._begun_s is None:
            self._begun_s = packet.at_s - length_s - self._passed_s
            self._last_at_s = packet.at_s
        behind_s = packet.at_s - self._begun_s - self._passed_s - self._held_s - length_s
        self._let_drift(packet.at_s)
        late_s = behind_s - self._least_s
        if self._broken:
            self._broken = False
            self._least_s = min(self._least_s, behind_s)
            return [*self._lose_unused(1000 * late_s), *self._used(beats_ms)]
        if late_s <= JITTER_S:
            self._least_s = min(self._least_s, behind_s)
            return [*self.flush(), *self._used(beats_ms)]
        self._held.append((packet, behind_s))
        self._held_s += length_s
        return self._settle()

    def break_off(self) -> list[Beat]:
        """The connection broke: what comes next does not follow what came before."""
        found = self.flush()
        self._broken = True
        return found

    def flush(self) -> list[Beat]:
        """The beats of all packets that still wait."""
        found = []
        while self._held:
            packet, _ = self._held.popleft()
            found += self._used(tuple(one for one in packet.rr_ms if one > 0))
        self._held_s = 0.0
        return found

    def _settle(self) -> list[Beat]:
        """If packets were late for long enough, lose the time that all were late by."""
        first_s, last_s = self._held[0][0].at_s, self._held[-1][0].at_s
        spans_s = (last_s or 0.0) - (first_s or 0.0)
        enough = len(self._held) >= SETTLED_PACKETS and spans_s >= SETTLED_S
        if not enough and len(self._held) < MOST_HELD:
            return []
        late_s = min(behind_s for _, behind_s in self._held) - self._least_s
        return [*self._lose(1000 * late_s), *self.flush()]

    def _let_drift(self, at_s: float) -> None:
        self._least_s += DRIFT * min(max(0.0, at_s - self._last_at_s), DRIFTING_S)
        self._last_at_s = at_s

    def _lose_unused(self, lost_ms: float) -> list[Beat]:
        """Time since the last beat that was used; where intervals were marked, never none."""
        marked, owed_ms = self._marked, self._owed_ms
        self._marked, self._owed_ms = False, 0.0
        if not marked:
            return self._lose(lost_ms)
        if lost_ms < 1:  # the next packet came early
            lost_ms = max(owed_ms, 1.0) if owed_ms else 0.0
        return self._lose(lost_ms, least_ms=0.0)

    def _lose(self, lost_ms: float, least_ms: float = PLAUSIBLE_MS[1]) -> list[Beat]:
        """Time without a beat. What is not longer than `least_ms` waits until it adds up."""
        lost_ms = float(round(lost_ms))
        if lost_ms > MOST_LOST_MS:
            self._begun_s = (self._begun_s or 0.0) + (lost_ms - LONGEST_LOST_MS) / 1000
            lost_ms = LONGEST_LOST_MS
        found = []
        while lost_ms > least_ms:
            piece_ms = min(lost_ms, LONGEST_LOST_MS)
            found.append(Beat(self._passed_s, piece_ms, valid=False))
            self._passed_s += piece_ms / 1000
            self.lost_s += piece_ms / 1000
            lost_ms -= piece_ms
        return found

    def _used(self, beats_ms: tuple[float, ...]) -> list[Beat]:
        found = []
        for rr_ms in beats_ms:
            found.append(Beat(self._passed_s, rr_ms))
            self._passed_s += rr_ms / 1000
        return found

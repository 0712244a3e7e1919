"""Packets in the order of their numbers or times, each once."""

import heapq
from collections import deque
from dataclasses import replace
from itertools import count

from pacl.live.transport import Packet

MOST_HELD = 4
"""So many packets wait for one that is missing; then it is given up."""
RESTARTED = 64
"""A number this much smaller is that of a source which began to count anew, not a late packet."""
RESTARTED_S = 60.0
"""A time this much earlier is that of a clock which was set, or of another file."""
REMEMBERED = 64
"""Packets among which a repeated one is recognised by its number and content."""
MOST_WAITING = 2_000
"""Packets that wait at most, whatever their times are."""


class InOrder:
    """Puts packets in order and drops repeated ones.

    ```
    came      1  2  4  3  3  6  7  8  9
    goes on   1  2     3 4        6 7 8 9      4 waits for 3; 5 is given up; the second 3 is dropped
    ```

    Numbered packets go by their numbers. Others go by their times where the source may reorder
    them: each waits until one came that is `reorders_s` later. Those with equal times go as they
    came, as one packet, and none is taken for a repetition: equal intervals may follow each other.
    """

    def __init__(self, reorders_s: float = 0.0) -> None:
        self._reorders_s = reorders_s
        self._held: list[tuple[float, int, Packet]] = []
        self._arrivals = count()
        self._next: int | None = None
        self._passed_s = self._newest_s = float("-inf")
        self._recent: deque[Packet] = deque(maxlen=REMEMBERED)
        self.repeated = 0
        """Packets dropped because they came twice."""
        self.late = 0
        """Packets dropped because later ones had been used."""

    def push(self, packet: Packet) -> list[Packet]:
        """Take a packet; return those that are due."""
        if packet.sequence is not None:
            if packet in self._recent:
                self.repeated += 1
                return []
            self._recent.append(packet)
            return self._by_number(packet, packet.sequence)
        at_s = packet.at_s if packet.stated_s is None else packet.stated_s
        if at_s is None or not self._reorders_s:
            return [*self.flush(), packet]
        return self._by_time(packet, at_s)

    def flush(self) -> list[Packet]:
        """All that still wait, at the end or where the connection broke."""
        found = [packet for _, _, packet in sorted(self._held, key=lambda one: one[:2])]
        self._held.clear()
        self._next = None
        return _together(found)

    def _by_number(self, packet: Packet, number: int) -> list[Packet]:
        if self._next is None or number <= self._next - RESTARTED:
            before = self.flush()
            self._next = number + 1
            return [*before, packet]
        if number < self._next:
            self.late += 1
            return []
        heapq.heappush(self._held, (float(number), next(self._arrivals), packet))
        if len(self._held) > MOST_HELD:
            self._next = self._held[0][2].sequence
        found = []
        while self._held and self._held[0][2].sequence == self._next:
            found.append(heapq.heappop(self._held)[2])
            self._next = (found[-1].sequence or 0) + 1
        return found

    def _by_time(self, packet: Packet, at_s: float) -> list[Packet]:
        before: list[Packet] = []
        if at_s < self._passed_s - RESTARTED_S:
            before = self.flush()
            self._passed_s = self._newest_s = at_s
        if at_s < self._passed_s:
            self.late += 1
            return []
        heapq.heappush(self._held, (at_s, next(self._arrivals), packet))
        self._newest_s = max(self._newest_s, at_s)
        found: list[Packet] = []
        while self._held and (
            self._held[0][0] <= self._newest_s - self._reorders_s or len(self._held) > MOST_WAITING
        ):
            self._passed_s, _, one = heapq.heappop(self._held)
            found.append(one)
        return [*before, *_together(found)]


def _together(packets: list[Packet]) -> list[Packet]:
    """Packets without numbers that state one time, as one; rows of a table stay rows."""
    found: list[Packet] = []
    for one in packets:
        last = found[-1] if found else None
        if (
            last is not None
            and one.sequence is last.sequence is one.stated_s is None
            and (one.at_s, one.contact, one.usable) == (last.at_s, last.contact, last.usable)
            and len(last.rr_ms) < MOST_WAITING
        ):
            found[-1] = replace(one, rr_ms=(*last.rr_ms, *one.rr_ms))
        else:
            found.append(one)
    return found

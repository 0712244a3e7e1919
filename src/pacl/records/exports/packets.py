"""Intervals that come in packets with a time stamp, placed on the clock."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from pacl.records.errors import ValueRangeError
from pacl.records.exports.recording import Stretch
from pacl.records.record import GAP_MS

_GAP_S = GAP_MS / 1000
_HOUR_MS = 3_600_000.0


@dataclass(frozen=True, slots=True)
class Packet:
    """Intervals that had come by the time `at_s`; a time alone where there are none.

    `after_pause` says that beats are missing before the first interval. `invalid` marks intervals
    that are time without a beat; none where it is empty.
    """

    rr_ms: Sequence[float]
    at_s: float | None = None
    after_pause: bool = False
    invalid: Sequence[bool] = ()

    @property
    def lasts_s(self) -> float:
        """How long its intervals last, those apart that are no time."""
        return sum(filter(_usable, self.rr_ms)) / 1000


def place(packets: Iterable[Packet]) -> list[Stretch]:
    """Put packets one after the other; begin a new stretch where beats are missing.

    ```
    stamp          10      12      14                    95      97
    packet   .8 .9 |  1 .9 |  .8 1 |     nothing     1 1 |  .9 1 |
             |------- stretch -----|                |-- stretch --|
    ```

    Beats are missing after a pause, where the clock runs more than 10 s ahead of the intervals, and
    at an interval that is no number, not above 0, or above an hour. Without stamps the first begins
    at 0 s.
    """
    row = _Row()
    paused = False
    for packet in packets:
        paused |= packet.after_pause
        if not packet.rr_ms:
            continue
        if paused:
            row.cut()
        if packet.at_s is not None:
            row.meet(packet.at_s - packet.lasts_s, paused)
        paused = False
        for one, invalid in zip_longest(packet.rr_ms, packet.invalid, fillvalue=False):
            if _usable(one):
                row.add(one, invalid)
            else:
                row.cut()
    row.cut()
    return row.stretches


def check_clock(packets: Sequence[Packet], where: str) -> None:
    """Refuse intervals that last much longer than their clock: they were written repeatedly."""
    at_s = [one.at_s for one in packets if one.at_s is not None]
    if len(at_s) < 10:
        return
    total_s = sum(one.lasts_s for one in packets)
    span_s = max(at_s) - min(at_s)
    if total_s > 1.25 * span_s + 2 * _GAP_S:
        raise ValueRangeError(
            where,
            f"the intervals add up to {total_s:,.0f} s, but their time stamps to {span_s:,.0f} s",
            "export each interval once: a log of each notification repeats them",
        )


class _Row:
    """Stretches so far, and when the last interval ended."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self._rr_ms: list[float] = []
        self._invalid: list[bool] = []
        self._began_s = self._end_s = 0.0
        self._on_clock = False

    def meet(self, at_s: float, paused: bool) -> None:
        """Take notice that the next interval begins at `at_s` by the clock."""
        ahead_s = at_s - self._end_s
        if not self._on_clock:  # what came before the first stamp is moved with it
            self.stretches = [replace(one, began_s=one.began_s + ahead_s) for one in self.stretches]
            self._began_s += ahead_s
            self._end_s = at_s
            self._on_clock = True
        elif ahead_s > _GAP_S:
            self.cut()
            self._end_s = at_s
        elif (paused and ahead_s > 0) or ahead_s < -_GAP_S:  # more intervals than time
            self._end_s = at_s

    def add(self, rr_ms: float, invalid: bool) -> None:
        if not self._rr_ms:
            self._began_s = self._end_s
        self._rr_ms.append(float(rr_ms))
        self._invalid.append(invalid)
        self._end_s += rr_ms / 1000

    def cut(self) -> None:
        if self._rr_ms:
            self.stretches.append(Stretch(self._began_s, self._rr_ms, self._invalid))
            self._rr_ms, self._invalid = [], []


def _usable(rr_ms: float) -> bool:
    return 0 < rr_ms <= _HOUR_MS

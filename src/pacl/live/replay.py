"""Recorded packets: a line each, played again as they came or at once."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

from pacl.atomic_write import atomic_write
from pacl.file_bytes import open_file
from pacl.live.errors import LiveError
from pacl.live.heart_rate import parse_heart_rate, parse_hex
from pacl.live.lines import MOST_BAD, LineSplitter
from pacl.live.ndjson import seconds_of
from pacl.live.transport import (
    TICK_S,
    Connected,
    Disconnected,
    Event,
    LeftOut,
    Packet,
    Waiting,
)
from pacl.records import FormatError, RecordError
from pacl.stored import parse_json

FORMAT = "pacl packets 1"
_PIECE = 65_536
_REMEDY = 'write {"at": 12.3, "packet": "16 3c 00 04"} in each line'


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a packet, or that the strap came or went, and when, in seconds.

    `sequence` numbers packets, where they may come in another order.
    """

    at_s: float
    packet: bytes = b""
    happened: Literal["packet", "connected", "disconnected"] = "packet"
    sequence: int | None = None


class _Line(TypedDict):
    at: float
    packet: NotRequired[str]
    event: NotRequired[Literal["connected", "disconnected"]]
    sequence: NotRequired[int]


class ReplayTransport:
    """Plays a file of packets.

    Parameters
    ----------
    path
        A file that `write_packets` wrote, or by hand: the first line is
        `{"format": "pacl packets 1"}`.
    speed
        How many times faster than they came; 0 plays all at once.
    now, sleep
        The clock, for tests.
    """

    reorders_s = 0.0

    def __init__(
        self,
        path: Path,
        speed: float = 1.0,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not 0 <= speed < float("inf"):
            raise LiveError(f"speed {speed:g}; give 1 for the real time, 0 for all at once")
        self.name = path.name
        self._path, self._speed, self._now, self._sleep = path, speed, now, sleep
        self._closed = self._reading = False
        self._file = open_file(path)

    def events(self) -> Iterator[Event]:
        """What was recorded."""
        self._reading = True
        try:
            yield Connected(self.name)
            connected = True
            first_at_s: float | None = None
            began_s = self._now()
            for entry in self._entries():
                if self._closed:
                    return
                if isinstance(entry, LeftOut):
                    yield entry
                    continue
                first_at_s = entry.at_s if first_at_s is None else first_at_s
                yield from self._wait(began_s, entry.at_s - first_at_s)
                if entry.happened == "packet":
                    yield _played(entry)
                elif (entry.happened == "connected") is not connected:
                    connected = not connected
                    gone = Disconnected("as recorded")
                    yield Connected(self.name) if connected else gone
        finally:
            self._file.close()

    def close(self) -> None:
        """Play no more."""
        self._closed = True
        if not self._reading:
            self._file.close()

    def _wait(self, began_s: float, after_s: float) -> Iterator[Event]:
        """Wait until it is time, a moment at a time."""
        while self._speed and not self._closed:
            left_s = after_s / self._speed - (self._now() - began_s)
            if left_s <= 0:
                return
            self._sleep(min(left_s, TICK_S))
            yield Waiting()

    def _entries(self) -> Iterator[Entry | LeftOut]:
        bad = 0
        for number, line in enumerate(self._lines(), 1):
            where = f"{self.name}, line {number}"
            if number == 1:
                _check_format(line, self._path)
            elif line.strip():
                try:
                    yield _entry(line, where)
                    bad = 0
                except RecordError as error:
                    bad += 1
                    if bad > MOST_BAD:
                        raise LiveError(f"{error}; so were the {MOST_BAD} lines before") from error
                    yield LeftOut(str(error))

    def _lines(self) -> Iterator[bytes]:
        splitter = LineSplitter(self.name)
        while piece := self._file.read(_PIECE):
            yield from splitter.push(piece)
        yield splitter.rest()


def write_packets(path: Path, entries: Iterable[Entry]) -> None:
    """Write packets to be replayed."""
    lines = [json.dumps({"format": FORMAT})]
    for one in entries:
        line: dict[str, object] = {"at": round(one.at_s, 3)}
        if one.happened == "packet":
            line["packet"] = one.packet.hex(" ")
        else:
            line["event"] = one.happened
        if one.sequence is not None:
            line["sequence"] = one.sequence
        lines.append(json.dumps(line))
    atomic_write(path, "".join(f"{line}\n" for line in lines).encode())


def _played(entry: Entry) -> Event:
    try:
        found = parse_heart_rate(entry.packet)
    except FormatError as error:
        return LeftOut(str(error))
    return Packet.of(found, entry.at_s, entry.sequence)


def _entry(line: bytes, where: str) -> Entry:
    def refuse(_: Path, what: str) -> FormatError:
        return FormatError(where, what, _REMEDY)

    found: _Line = parse_json(line, Path(where), _Line, refuse)
    at_s = seconds_of(float(found["at"]), where)
    if "event" in found:
        return Entry(at_s, happened=found["event"])
    if "packet" not in found:
        raise FormatError(where, "neither packet nor event", _REMEDY)
    return Entry(at_s, parse_hex(found["packet"], where), sequence=found.get("sequence"))


class _First(TypedDict):
    format: str


def _check_format(line: bytes, path: Path) -> None:
    def refuse(_: Path, what: str) -> LiveError:
        return LiveError(
            f"{path}: {what}; give a file of packets, which begins with "
            f'{{"format": "{FORMAT}"}}; to follow a file of intervals, use --follow'
        )

    parse_json(line, path, _First, refuse, written_as=FORMAT)

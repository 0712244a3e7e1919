"""Live input that is damaged: packets, lines, recorded packets, and a file to be continued."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np

from pacl.live import (
    Beat,
    Continuity,
    Event,
    InOrder,
    Journal,
    Packet,
    ReplayTransport,
    StreamTransport,
    make_heart_rate,
    packets_of,
    parse_heart_rate,
    write_packets,
)
from pacl.records import open_records, record_from_rr
from support.mutation_target import Target

_STARTED = datetime(2026, 4, 1, 21, 30, tzinfo=timezone(timedelta(hours=2)))
_LINES = {
    "plain.txt": "".join(f"{800 + 7 * (beat % 9)}\n" for beat in range(40)),
    "table.csv": "time,rr_ms,valid\n"
    + "".join(f"2026-04-01T09:00:{beat:02}.000,{950 + beat % 3},1\n" for beat in range(40)),
    "objects.ndjson": "".join(
        f'{{"rr": [{800 + beat}, 790.5], "time": {1.6 * beat:.1f}, "sequence": {beat}}}\n'
        for beat in range(20)
    )
    + '{"hr_packet": "16 3c 00 04", "contact": true}\n',
}


def _beats(events: Sequence[Event], reorders_s: float) -> None:
    order, continuity = InOrder(reorders_s), Continuity()
    for event in events:
        if isinstance(event, Packet):
            for packet in order.push(event):
                continuity.push(packet)
    for packet in order.flush():
        continuity.push(packet)
    continuity.flush()


def _packet(folder: Path) -> Sequence[Path]:
    (folder / "packet").write_bytes(make_heart_rate([800.0, 790.0, 1000.0]))
    return [folder / "packet"]


def _lines(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        (folder / name).write_text(_LINES[name])
        return [folder / name]

    return write


def _listen(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open("rb") as file:
            transport = StreamTransport(file)
            _beats(list(transport.events()), transport.reorders_s)


def _recorded(folder: Path) -> Sequence[Path]:
    record = record_from_rr(np.random.default_rng(0).uniform(600, 1000, 40))
    draw = np.random.default_rng(1)
    packets = packets_of(record, draw, pauses=[(5.0, 9.0)], reordered=0.2, numbered=True)
    write_packets(folder / "packets.ndjson", packets)
    return [folder / "packets.ndjson"]


def _replay(folder: Path) -> None:
    _beats(list(ReplayTransport(folder / "packets.ndjson", 0.0).events()), 0.0)


def _session(folder: Path) -> Sequence[Path]:
    journal = Journal(folder / "night.csv")
    journal.begin(_STARTED, "strap")
    journal.append([Beat(0.9 * at, 880.0 + at % 5 * 10, at != 9) for at in range(40)])
    journal.close()
    return [folder / "night.csv"]


def _continue(folder: Path) -> None:
    """Append to it where that is possible; whole lines stay whole lines."""
    before = (folder / "night.csv").read_bytes()
    journal = Journal(folder / "night.csv")
    try:
        journal.begin(_STARTED + timedelta(days=1), "strap")
        journal.append([Beat(0.0, 800.0)])
    finally:
        journal.close()
    whole = before[: before.rfind(b"\n") + 1]
    if whole and not (folder / "night.csv").read_bytes().startswith(whole):
        raise AssertionError("what was there has changed")
    open_records(folder / "night.csv").read("night")


LIVE_TARGETS = (
    Target("live/packet", _packet, lambda at: parse_heart_rate((at / "packet").read_bytes())),
    *(Target(f"live/lines-{name}", _lines(name), _listen) for name in _LINES),
    Target("live/replay", _recorded, _replay),
    Target("live/journal", _session, _continue),
)

"""All sources keep the promises of the contract; and what each does beyond it."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pacl.file_bytes import FileError
from pacl.live import (
    BleakRadio,
    Connected,
    Disconnected,
    Entry,
    FollowTransport,
    LeftOut,
    LiveError,
    Noted,
    Packet,
    ReplayTransport,
    StrapTransport,
    StreamTransport,
    Waiting,
    packets_of,
    write_packets,
)
from pacl.records import record_from_rr
from pacl.testing.transports import TransportContract, check_transport
from support.refusals import refused
from support.straps import FakeClients, FakeScanner, beats, device


class Clock:
    """Time that passes only by sleeping; something may happen meanwhile."""

    def __init__(self, *happens: Callable[[], object]) -> None:
        self.now_s, self.happens = 0.0, list(happens)

    def now(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        if self.happens:
            self.happens.pop(0)()


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    (tmp_path / "rr.txt").write_text("812\n790\n")
    return tmp_path / "rr.txt"


def follow(path, *happens, idle_s=1.0):
    clock = Clock(*happens)
    return FollowTransport(path, until_idle_s=idle_s, now=clock.now, sleep=clock.sleep)


def intervals(transport):
    return [rr for one in transport.events() if isinstance(one, Packet) for rr in one.rr_ms]


@pytest.fixture
def played(tmp_path: Path) -> Path:
    rr_ms = 800 + 50 * np.sin(np.arange(60.0))
    record = record_from_rr(rr_ms)
    draw = np.random.default_rng(3)
    write_packets(tmp_path / "p.ndjson", packets_of(record, draw, pauses=[(10.0, 20.0)]))
    return tmp_path / "p.ndjson"


def strap(*sessions, scanner=None, **options):
    clients = FakeClients(*sessions, **options)
    radio = BleakRadio(scanner or FakeScanner([device()]), clients)
    return StrapTransport(radio=radio, scan_s=0.0, backoff_s=(0.01,), silent_s=5.0)


class TestStream(TransportContract):
    def open(self):
        return StreamTransport(io.BytesIO(b'{"rr": 800, "time": 1}\nbad\n{"rr": 810, "time": 2}'))


class TestFollow(TransportContract):
    @pytest.fixture(autouse=True)
    def _file(self, growing):
        self.path = growing

    def open(self):
        return follow(self.path)


class TestReplay(TransportContract):
    @pytest.fixture(autouse=True)
    def _file(self, played):
        self.path = played

    def open(self):
        return ReplayTransport(self.path, 0.0)


class TestStrap(TransportContract):
    def open(self):
        """It ends by an error when the strap cannot even be listed: the fourth time."""
        return _Ended(strap([beats(800), beats(810)], [beats(790)]), packets=3)


class _Ended:
    """A source that never ends by itself, closed after some packets."""

    def __init__(self, inner, packets):
        self.inner, self.left = inner, packets
        self.name, self.reorders_s = inner.name, inner.reorders_s

    def events(self):
        for event in self.inner.events():
            self.left -= isinstance(event, Packet)
            yield event
            if not self.left:
                self.inner.close()
                return

    def close(self):
        self.inner.close()


def test_the_contract_catches_a_source_that_breaks_it():
    class Broken(TransportContract):
        def open(self):
            return _Broken()

    with refused(AssertionError, "connected before", "times rise", "in ms"):
        check_transport(Broken())


class _Broken:
    name, reorders_s = "broken", 0.0

    def events(self):
        yield Packet((-1.0,), 5.0)
        yield Packet((800.0,), 4.0)

    def close(self):
        pass


# standard input


def test_a_pipe_is_read_while_it_is_open():
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", 0) as pipe:
        transport = StreamTransport(stream)
        events = transport.events()
        assert next(events) == Connected("standard input")
        pipe.write(b"812\n7")
        assert next(one for one in events if not isinstance(one, Waiting)) == Packet((812.0,))
        assert next(events) == Waiting()
        pipe.write(b"90\n")
        assert next(one for one in events if not isinstance(one, Waiting)) == Packet((790.0,))
        transport.close()
        assert list(events) == []


def test_the_last_line_of_a_stream_needs_no_end():
    assert intervals(StreamTransport(io.BytesIO(b"812\n790"))) == [812, 790]


def test_an_error_in_the_thread_is_raised_where_events_are_read():
    with refused(LiveError, "standard input", 65_536):
        intervals(StreamTransport(io.BytesIO(b"8" * 70_000)))


# a file that grows


def test_a_half_written_line_waits_for_its_end(growing):
    def more(text):
        def write():
            with growing.open("a") as file:
                file.write(text)

        return write

    assert intervals(follow(growing, more("8"), more("05\n79"), more("9\n"))) == [
        812,
        790,
        805,
        799,
    ]


def test_a_line_without_end_is_left_out_at_the_end(growing):
    growing.write_text("812\n79")
    events = list(follow(growing).events())
    assert [type(one) for one in events if not isinstance(one, Waiting)] == [
        Connected,
        Packet,
        LeftOut,
    ]


def test_a_file_that_becomes_shorter_is_read_anew(growing):
    transport = follow(growing, lambda: growing.write_text("RR\n900\n"))
    events = list(transport.events())
    assert [one.rr_ms for one in events if isinstance(one, Packet)] == [(812,), (790,), (900,)]
    assert any("shorter" in one.text for one in events if isinstance(one, Noted))


def test_a_file_that_is_replaced_is_read_anew(growing):
    def rotate():
        with growing.open("a") as old:
            old.write("801\n")
        growing.rename(growing.with_suffix(".1"))

    def begin():
        growing.write_text("802\n803\n")

    assert intervals(follow(growing, rotate, begin)) == [812, 790, 801, 802, 803]


def test_the_last_lines_before_a_file_is_replaced_are_read(growing, monkeypatch):
    """They come after the last look at the old file, and before the look at its name."""
    lseek = os.lseek

    def rotated(*place):
        monkeypatch.undo()
        with growing.open("a") as old:
            old.write("801\n")
        growing.rename(growing.with_suffix(".1"))
        growing.write_text("802\n")
        return lseek(*place)

    monkeypatch.setattr(os, "lseek", rotated)
    assert intervals(follow(growing)) == [812, 790, 801, 802]


def test_it_follows_without_end_unless_it_is_told(growing):
    transport = follow(growing, idle_s=None)
    events = transport.events()
    assert sum(isinstance(next(events), Waiting) for _ in range(500)) > 400
    transport.close()
    assert list(events) == []


def test_what_is_no_file_is_refused(tmp_path):
    for wrong in (tmp_path / "none.txt", tmp_path):
        with refused(FileError, wrong):
            FollowTransport(wrong)
    os.mkfifo(tmp_path / "pipe")
    with refused(FileError, "pipe"):
        FollowTransport(tmp_path / "pipe")


# recorded packets


def test_packets_are_played_as_they_came(played):
    clock = Clock()
    transport = ReplayTransport(played, 2.0, now=clock.now, sleep=clock.sleep)
    times = [(one.at_s, clock.now_s) for one in transport.events() if isinstance(one, Packet)]
    first_s = times[0][0]
    for at_s, played_s in times:
        assert played_s == pytest.approx((at_s - first_s) / 2, abs=0.01)
    kinds = [type(one) for one in ReplayTransport(played, 0.0).events()]
    assert kinds.count(Disconnected) == 1
    assert kinds.count(Connected) == 2


def test_a_bad_packet_is_left_out(tmp_path):
    write_packets(tmp_path / "p", [Entry(0.0, b"\x10"), Entry(1.0, beats(800))])
    with (tmp_path / "p").open("a") as file:
        file.write('{"at": 2}\n{"at": "x", "packet": ""}\n')
    kinds = [type(one) for one in ReplayTransport(tmp_path / "p", 0.0).events()]
    assert kinds == [Connected, LeftOut, Packet, LeftOut, LeftOut]


@pytest.mark.parametrize("content", [b"", b"812\n790\n", b'{"format": "other"}\n', b"\xff\n"])
def test_another_file_is_refused_with_what_to_do(tmp_path, content):
    (tmp_path / "p").write_bytes(content)
    with refused(LiveError, tmp_path / "p", "pacl packets 1", "--follow"):
        list(ReplayTransport(tmp_path / "p", 0.0).events())


@pytest.mark.parametrize("speed", [-1.0, float("inf"), float("nan")])
def test_a_speed_that_is_none_is_refused(played, speed):
    with refused(LiveError, "speed"):
        ReplayTransport(played, speed)


def test_lost_and_swapped_packets_of_a_made_strap():
    record = record_from_rr(np.random.default_rng(0).uniform(600, 1000, 600))
    every = list(packets_of(record, np.random.default_rng(0), numbered=True))
    kept = list(packets_of(record, np.random.default_rng(0), numbered=True, loss=0.2))
    mixed = list(packets_of(record, np.random.default_rng(0), numbered=True, reordered=0.2))
    assert [one.sequence for one in every] == list(range(len(every)))
    assert 0.7 < len(kept) / len(every) < 0.9
    order = [one.sequence for one in mixed]
    assert sorted(order) == list(range(len(every))) != order

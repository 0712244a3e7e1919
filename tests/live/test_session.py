"""From packets to decisions."""

import numpy as np
import pytest

from pacl.detect import StreamDetector
from pacl.live import (
    Connected,
    Disconnected,
    Journal,
    LeftOut,
    LiveError,
    Noted,
    Packet,
    ReplayTransport,
    Session,
    Waiting,
    packets_of,
    rounded_ms,
    write_packets,
)
from pacl.records import Rhythm, open_records, record_from_rr
from support.refusals import refused
from support.shared_judges import shared_judges as shared_judges


def sinus(beats, seed=0):
    return np.random.default_rng(seed).normal(850, 25, beats)


def af(beats, seed=1):
    return np.random.default_rng(seed).uniform(400, 1000, beats)


def listened(path, journal=None):
    """A session over all packets of a file, and its decisions."""
    transport = ReplayTransport(path, 0.0)
    session = Session(StreamDetector(), journal, transport.reorders_s)
    decisions = [one for event in transport.events() for one in session.take(event).decisions]
    return session, [*decisions, *session.finish().decisions]


def streamed(rr_ms):
    detector = StreamDetector()
    found = [one for rr in rr_ms for one in detector.push(float(rr))]
    return [*found, *detector.finish()]


def seconds(events, rr_ms=1000.0):
    return [Packet((rr_ms,), 1.7e9 + at) for at in events]


def test_without_loss_decisions_are_those_of_the_intervals(tmp_path):
    record = record_from_rr(np.concatenate([sinus(300), af(300)]))
    write_packets(tmp_path / "p", packets_of(record, np.random.default_rng(0), jitter_s=1.5))
    session, decisions = listened(tmp_path / "p")
    assert decisions == streamed([rounded_ms(float(one)) for one in record.rr_ms])
    assert session.state.af_s > 60
    assert session.lost_beats == 0


def test_the_file_gives_the_same_decisions_again(tmp_path):
    record = record_from_rr(np.concatenate([sinus(400), af(400)]))
    packets = packets_of(
        record, np.random.default_rng(0), loss=0.05, pauses=[(100.0, 130.0)], began_s=1.775e9
    )
    write_packets(tmp_path / "p", packets)
    session, decisions = listened(tmp_path / "p", Journal(tmp_path / "night.csv"))
    again = open_records(tmp_path / "night.csv").read("night")
    assert decisions == streamed(again.rr_ms)
    assert again.started.timestamp() == pytest.approx(session.continuity.began_s, abs=1e-3)
    assert again.gaps().size == 1
    assert session.continuity.lost_s > 30


@pytest.mark.parametrize("earlier", [None, 1.7e9 + 50])
def test_a_file_that_cannot_be_continued_stays_as_it_is(tmp_path, earlier):
    """Rows wait for their order when it is refused, and must not be written at the end."""
    first = Session(StreamDetector(), Journal(tmp_path / "x.csv"))
    for at in range(5):
        first.take(Packet((1000.0,), None if earlier is None else earlier + at))
    first.finish()
    before = (tmp_path / "x.csv").read_bytes()
    session = Session(StreamDetector(), Journal(tmp_path / "x.csv"), reorders_s=2.0)
    with refused(LiveError, "x.csv", "name another file"):
        for packet in seconds(range(9)):
            session.take(packet)
    assert session.state.started is None
    with refused(LiveError, "x.csv"):
        session.finish()
    assert (tmp_path / "x.csv").read_bytes() == before
    Journal(tmp_path / "x.csv").close()  # it is not locked any more


def test_a_marked_beat_gives_the_same_decisions_as_its_file(tmp_path):
    rr_ms = [float(round(one)) for one in sinus(150)]
    session = Session(StreamDetector(), Journal(tmp_path / "night.csv"))
    decisions = []
    for at, one in enumerate(rr_ms):
        decisions += session.take(Packet((one,), usable=at not in (70, 90, 91))).decisions
    decisions += session.finish().decisions
    assert decisions == streamed(open_records(tmp_path / "night.csv").read("night").rr_ms)
    assert session.state.beats == 147


def test_an_empty_battery_is_said():
    assert "battery 0 %" in Session(StreamDetector()).take(Connected("H10", 0)).notes[0]


def test_the_state_tells_how_it_is():
    session = Session(StreamDetector())
    notes = [*session.take(Connected("H10", 80)).notes]
    assert session.state.connected
    for packet in seconds(range(70)):
        session.take(packet)
    assert (session.state.beats, session.state.run_beats) == (70, 70)
    notes += session.take(Disconnected("away")).notes
    assert not session.state.connected
    notes += session.take(LeftOut("odd")).notes + session.take(Noted("new")).notes
    assert session.take(Waiting()).notes == ()
    session.take(Connected("H10"))
    session.take(Packet((1000.0,), 1.7e9 + 100))
    assert session.state.run_beats == 1  # a gap came before it
    assert session.lost_beats == pytest.approx(30, abs=1)
    text = " ".join(notes)
    assert all(word in text for word in ("H10", "80 %", "away", "odd", "new"))
    assert session.state.started.timestamp() == pytest.approx(1.7e9 - 1)


def test_lost_beats_are_counted_by_the_rate_of_that_time():
    session = Session(StreamDetector())
    for at in [*range(60), *range(120, 180)]:  # a minute is lost
        session.take(Packet((1000.0,), 1.7e9 + at))
    for at in range(180, 1400):  # later the heart is twice as fast
        session.take(Packet((500.0, 500.0), 1.7e9 + at))
    session.finish()
    assert session.lost_beats == pytest.approx(60, abs=1)


def test_beats_lost_before_the_first_are_counted_by_those_that_follow():
    session = Session(StreamDetector())
    for at in range(20):
        session.take(Packet((1000.0,), 1.7e9 + at, contact=at >= 10))
    session.finish()
    assert session.continuity.lost_s == pytest.approx(10)
    assert session.lost_beats == 10


def test_an_artefact_before_the_loss_does_not_count_as_a_rate():
    session = Session(StreamDetector())
    for at in range(60):
        session.take(Packet((1000.0,), 1.7e9 + at))
    session.take(Packet((9000.0,), 1.7e9 + 68))
    for at in range(128, 160):  # a minute is lost
        session.take(Packet((1000.0,), 1.7e9 + at))
    session.finish()
    assert session.lost_beats == pytest.approx(60, abs=2)


def test_a_device_that_sends_no_intervals_is_said_once():
    session = Session(StreamDetector())
    notes = [
        note for at in range(100) for note in session.take(Packet((), float(at), rate_bpm=70)).notes
    ]
    assert len(notes) == 1
    assert "RR" in notes[0]


def test_a_strap_with_empty_packets_now_and_then_is_fine():
    session = Session(StreamDetector())
    packets = [one for packet in seconds(range(100)) for one in (packet, Packet((), packet.at_s))]
    assert [note for one in packets for note in session.take(one).notes] == []


@pytest.mark.real
def test_real_af_through_packets_is_the_same_af(data, tmp_path):
    """Ten minutes around an onset; lost packets change little."""
    whole = open_records(data / "afdb").read("04746")
    onset = next(
        after.start
        for before, after in zip(whole.rhythm_runs(), whole.rhythm_runs()[1:], strict=False)
        if after.rhythm is Rhythm.AF
        and whole.seconds(before.start, before.stop) > 300
        and whole.seconds(after.start, after.stop) > 900
    )
    first = int(np.searchsorted(whole.onset_s(), whole.onset_s()[onset] - 300))
    record = record_from_rr(whole.rr_ms[first : whole.beat_after(onset, 300.0)].astype(np.float64))
    af_s = {}
    for loss in (0.0, 0.01, 0.05):
        packets = packets_of(record, np.random.default_rng(0), loss=loss)
        write_packets(tmp_path / "p", packets)
        session, decisions = listened(tmp_path / "p")
        af_s[loss] = session.state.af_s
        assert session.continuity.passed_s == pytest.approx(record.duration_s, abs=5)
        if not loss:
            assert decisions == streamed([rounded_ms(float(one)) for one in record.rr_ms])
    assert af_s[0.0] > 200
    assert af_s[0.01] == pytest.approx(af_s[0.0], abs=30)
    assert af_s[0.05] == pytest.approx(af_s[0.0], abs=60)

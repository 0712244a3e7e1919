"""Lost beats and the clock."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.live import Beat, Continuity, Packet
from pacl.live.continuity import LONGEST_LOST_MS


def beats_of(packets, continuity=None):
    continuity = continuity or Continuity()
    found = [beat for one in packets for beat in continuity.push(one)]
    return [*found, *continuity.flush()]


def each_second(seconds, late_s=lambda at: 0.0):
    return [Packet((1000.0,), float(at) + late_s(at)) for at in seconds]


def lost(beats):
    return [(one.start_s, one.rr_ms) for one in beats if not one.valid]


def test_beats_follow_each_other():
    found = beats_of([Packet((500.0, 700.0), 10.0), Packet((800.0,), 11.0)])
    assert [(one.start_s, one.rr_ms) for one in found] == [
        (0.0, 500.0),
        (0.5, 700.0),
        (pytest.approx(1.2), 800.0),
    ]


def test_lost_packets_become_time_without_a_beat():
    found = beats_of(each_second([*range(20), *range(25, 60)]))
    ((start_s, lost_ms),) = lost(found)
    assert start_s == 20.0
    assert lost_ms == pytest.approx(5000, abs=50)
    assert found[-1].start_s == pytest.approx(59, abs=0.05)


def test_packets_that_come_late_and_together_are_no_loss():
    found = beats_of(each_second(range(60), lambda at: 30 - at if 22 <= at < 30 else 0.0))
    assert lost(found) == []
    assert len(found) == 60


def test_jitter_of_two_seconds_is_no_loss():
    draw = np.random.default_rng(1)
    times = np.maximum.accumulate(np.arange(2000) + draw.uniform(0, 2, 2000))
    assert lost(beats_of([Packet((1000.0,), float(at)) for at in times])) == []


@pytest.mark.parametrize("share", [-0.0008, 0.0008])
def test_clocks_that_drift_apart_are_no_loss(share):
    assert lost(beats_of(each_second(range(36_000), lambda at: at * share))) == []


def test_single_beats_that_are_lost_add_up():
    kept = [at for at in range(1, 400) if at % 50]
    found = beats_of(each_second(kept))
    assert lost(found)
    assert found[-1].start_s == pytest.approx(398, abs=2.5)


def test_without_contact_nothing_is_used():
    packets = each_second(range(10))
    packets += [Packet((300.0,), 10.0 + at, contact=False) for at in range(10)]
    continuity = Continuity()
    found = beats_of([*packets, *each_second(range(20, 30))], continuity)
    assert lost(found) == [(10.0, pytest.approx(10_000, abs=20))]
    assert (continuity.unused, len(found)) == (10, 21)
    assert continuity.lost_s == pytest.approx(10, abs=0.02)


def test_after_a_break_the_gap_is_known_at_once():
    continuity = Continuity()
    before = beats_of(each_second(range(10)), continuity)
    assert continuity.break_off() == []
    first = continuity.push(Packet((1000.0,), 100.0))
    assert len(before) == 10
    gap_ms = pytest.approx(90_000, abs=20)
    assert [(one.rr_ms, one.valid) for one in first] == [(gap_ms, False), (1000.0, True)]


def test_without_a_clock_only_marked_intervals_are_lost():
    good, bad = Packet((1000.0,)), Packet((1500.0,), usable=False)
    found = beats_of([good, good, bad, good, bad, bad, good, good])
    assert lost(found) == [(2.0, 1500.0), (4.5, 3000.0)]


def test_one_marked_interval_parts_its_neighbours():
    """With a clock as without, and also where the packet after it comes early."""
    bad = Packet((800.0,), usable=False)
    assert [one.valid for one in beats_of([Packet((1000.0,)), bad, Packet((1000.0,))])] == [
        True,
        False,
        True,
    ]
    for at_s, lost_ms in [(12.8, 800.0), (12.3, 300.0), (11.9, 800.0)]:
        packets = [
            Packet((1000.0,), 11.0),
            Packet((800.0,), 11.8, contact=False),
            Packet((1000.0,), at_s),
        ]
        assert lost(beats_of(packets)) == [(1.0, pytest.approx(lost_ms, abs=5))]


def test_short_lost_time_is_divided_so_that_no_piece_is_a_beat():
    assert Beat(0.0, 810.0, valid=False).pieces_ms() == (162.0,) * 5
    assert Beat(0.0, 2000.5, valid=False).pieces_ms() == (2000.5,)
    assert Beat(0.0, 810.0).pieces_ms() == (810.0,)


def test_after_a_break_an_earlier_packet_tells_the_time():
    """The first packet was late by 0.9 s: what is lost later is counted from the one in time."""
    continuity = Continuity()
    continuity.push(Packet((1000.0,), 2.5))
    continuity.break_off()
    continuity.push(Packet((1000.0,), 2.6))
    continuity.break_off()
    found = continuity.push(Packet((1000.0,), 6.1))
    assert lost(found) == [(2.0, pytest.approx(2500, abs=10))]


def test_days_are_divided_and_a_clock_that_was_set_is_no_loss_of_years():
    continuity = Continuity()
    beats_of(each_second(range(10)), continuity)
    continuity.break_off()
    found = continuity.push(Packet((1000.0,), 2 * 86_400.0))
    assert [one.rr_ms for one in found if not one.valid][:3] == [LONGEST_LOST_MS] * 3
    continuity.break_off()
    found = continuity.push(Packet((1000.0,), 9e9))
    assert [one.rr_ms for one in found] == [LONGEST_LOST_MS, 1000.0]
    assert lost(continuity.push(Packet((1000.0,), 9e9 + 1))) == []


@given(
    st.lists(
        st.tuples(
            st.lists(st.floats(0, 9e7), max_size=3),
            st.one_of(st.none(), st.floats(-1e11, 1e11)),
            st.sampled_from([True, False, None]),
        ),
        max_size=30,
    )
)
def test_whatever_comes_time_runs_and_lost_time_is_no_beat(rows):
    continuity = Continuity()
    packets = [Packet(tuple(rr), at, contact) for rr, at, contact in rows]
    found = beats_of(packets, continuity)
    assert len(found) < 100_000
    at_s = 0.0
    for one in found:
        assert one.start_s == pytest.approx(at_s)
        assert one.rr_ms > 0
        assert one.valid or not any(200 <= piece <= 2000 for piece in one.pieces_ms())
        assert sum(one.pieces_ms()) == pytest.approx(one.rr_ms)
        at_s += one.rr_ms / 1000
    used = sum(one.valid for one in found)
    assert used + continuity.unused == sum(len(one.rr_ms) for one in packets)
